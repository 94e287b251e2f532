"""Representative inputs for the real networks, from data in packages.

Each recipe is a function (shapes, index, archives) -> {input name: array}:
the same index always gives the same input. `shapes` maps the model's input
names to their bound shapes; `archives` opens the picture package. Sources:

    pictures   scikit-image's wheel: a scanned page, photographs, face crops
    text       the data set descriptions that scikit-learn installs
    sound      plucked notes, synthesised (no package carries real music)
    speech     a minute of talk, from the source archive of silero-vad
    token ids  drawn by Zipf's law over the frequency-ordered vocabulary
               (the sentence transformer's package has no tokenizer)
"""

import io
import math
import pathlib
import re
import wave

import numpy as np
import sklearn.datasets
from PIL import Image, ImageDraw, ImageFont

PICTURES = "scikit-image"


def _rng(index):
    return np.random.default_rng(7000 + index)


def _picture(archives, name):
    data = archives.read(PICTURES, "skimage/data/" + name)
    return Image.open(io.BytesIO(data)).convert("RGB")


def _only(shapes):
    (name, shape), = shapes.items()
    return name, shape


def _descriptions():
    """The descriptions scikit-learn ships, as (path, text), in name order."""
    folder = pathlib.Path(sklearn.datasets.__file__).parent / "descr"
    return [(p, p.read_text("utf-8")) for p in sorted(folder.glob("*.rst"))]


def phrases():
    """Short runs of plain words out of the descriptions."""
    found = []
    for _, text in _descriptions():
        for line in text.splitlines():
            words = re.findall(r"[A-Za-z][A-Za-z,.]+", line)
            if len(words) >= 4:
                found.append(" ".join(words[:4])[:26].strip())
    return found


def phrase(index):
    every = phrases()
    return every[(index * 37) % len(every)]


# --- text pictures ---------------------------------------------------------


def _line_picture(index, height, width):
    """One phrase in dark ink on light paper, filling the line's height."""
    rng = _rng(index)
    paper = tuple(int(v) for v in rng.integers(200, 256, 3))
    ink = tuple(int(v) for v in rng.integers(0, 90, 3))
    size = int(height * 0.72)
    text = phrase(index)
    while True:
        font = ImageFont.load_default(size)
        left, top, right, bottom = font.getbbox(text)
        if right - left <= width - 8 or size <= 10:
            break
        size -= 1
    picture = Image.new("RGB", (width, height), paper)
    at = (4 - left, (height - bottom - top) // 2)
    ImageDraw.Draw(picture).text(at, text, font=font, fill=ink)
    return picture


def _signed_chw(picture):
    """Pixels scaled to [-1, 1], channels first, with a batch of one."""
    pixels = np.asarray(picture, np.float32) / np.float32(127.5) - 1
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])


def text_line(shapes, index, archives):
    name, (_, _, height, width) = _only(shapes)
    return {name: _signed_chw(_line_picture(index, height, width))}


def turned_line(shapes, index, archives):
    """A text line; the odd ones are upside down."""
    name, (_, _, height, width) = _only(shapes)
    picture = _line_picture(index, height, width)
    if index % 2:
        picture = picture.rotate(180)
    return {name: _signed_chw(picture)}


def page(shapes, index, archives):
    """A scanned page, written text, or a photograph with printed lines."""
    name, (_, _, height, width) = _only(shapes)
    sources = ["page.png", "text.png", "coffee.png", "motorcycle_left.png"]
    source = sources[index % len(sources)]
    picture = _picture(archives, source).resize((width, height),
                                                Image.Resampling.BILINEAR)
    if source in ("coffee.png", "motorcycle_left.png"):
        for i in range(3):
            line = _line_picture(index * 3 + i, height // 10, width * 3 // 4)
            left = int(_rng(index + i).integers(0, width // 4))
            picture.paste(line, (left, height // 12 + i * height // 3))
    return {name: _signed_chw(picture)}


# --- faces -----------------------------------------------------------------


def _mtcnn_pixels(picture):
    """Height x width x channel as that detector scales them."""
    return (np.asarray(picture, np.float32) - np.float32(127.5)) * np.float32(
        0.0078125)


def face_scene(shapes, index, archives):
    """The portrait at several zooms, other photographs in between."""
    name, (_, height, width, _) = _only(shapes)
    source = ["astronaut.png", "chelsea.png", "astronaut.png",
              "coffee.png"][index % 4]
    picture = _picture(archives, source)
    side = min(picture.size)
    zoom = 1.0 / (1 + 0.25 * (index % 5))
    box = int(side * zoom)
    picture = picture.crop((0, 0, box, box)).resize(
        (width, height), Image.Resampling.BILINEAR)
    return {name: _mtcnn_pixels(picture)[None]}


def face_crops(shapes, index, archives):
    """Half face crops, half other crops, from the labelled-faces subset."""
    name, (count, height, width, _) = _only(shapes)
    data = archives.read(PICTURES, "skimage/data/lfw_subset.npy")
    gray = np.load(io.BytesIO(data))  # 100 faces, then 100 non-faces
    portrait = _picture(archives, "astronaut.png").crop((165, 60, 285, 200))
    crops = []
    for i in range(count):
        pick = (index * 7 + i // 2) % 100 + (100 if i % 2 else 0)
        picture = Image.fromarray((gray[pick] * 255).astype(np.uint8))
        if i == 0:
            picture = portrait
        crops.append(_mtcnn_pixels(picture.convert("RGB").resize(
            (width, height), Image.Resampling.BILINEAR)))
    return {name: np.stack(crops)}


# --- text, files, sound ----------------------------------------------------


def tokens(shapes, index, archives):
    """[CLS] words [SEP] padding, and the masks that go with them."""
    rng = _rng(index)
    first_word, last_word, cls, sep = 1996, 29611, 101, 102
    result = {name: np.zeros(shape, np.int64)
              for name, shape in shapes.items()}
    batch, length = shapes["input_ids"]
    ranks = np.arange(1, last_word - first_word + 1)
    chance = (1 / ranks) / (1 / ranks).sum()
    for row in range(batch):
        used = int(rng.integers(length // 4, length - 1))
        ids = first_word - 1 + rng.choice(ranks, used, p=chance)
        result["input_ids"][row, :used + 2] = [cls, *ids, sep]
        result["attention_mask"][row, :used + 2] = 1
    return result


def file_bytes(shapes, index, archives):
    """The first and last 1,024 bytes of a file, 256 where it is shorter."""
    name, (batch, length) = _only(shapes)
    root = pathlib.Path(sklearn.datasets.__file__).parent
    files = [p for kind in ("descr/*.rst", "*.py", "data/*.csv", "data/*.gz",
                            "images/*.jpg")
             for p in sorted(root.glob(kind))]
    half = length // 2
    rows = np.full((batch, length), 256, np.int32)
    for row in range(batch):
        path = files[((index * batch + row) * 11) % len(files)]
        data = path.read_bytes()
        head, tail = data.lstrip()[:half], data.rstrip()[-half:]
        rows[row, :len(head)] = np.frombuffer(head, np.uint8)
        rows[row, length - len(tail):] = np.frombuffer(tail, np.uint8)
    return {name: rows}


def music(shapes, index, archives):
    """Plucked notes with falling harmonics at 22,050 samples a second."""
    name, (batch, length, _) = _only(shapes)
    rng = _rng(index)
    time = np.arange(length) / 22050
    sound = np.zeros((batch, length))
    for row in range(batch):
        for _ in range(8):
            start = rng.uniform(0, time[-1] * 0.8)
            pitch = 440 * 2 ** ((rng.integers(40, 80) - 69) / 12)
            since = np.maximum(time - start, 0)
            for harmonic in range(1, 7):
                sound[row] += np.where(
                    time >= start, np.exp(-since * (2 + harmonic))
                    * np.sin(2 * math.pi * pitch * harmonic * since), 0
                ) / harmonic
    sound /= np.abs(sound).max()
    return {name: sound[..., None].astype(np.float32)}


def recording(archives):
    """A minute of talk with pauses: samples in [-1, 1), 16,000 a second."""
    data = archives.read("silero-vad", "silero_vad-6.2.3/tests/data/test.wav")
    with wave.open(io.BytesIO(data)) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2")
    return samples.astype(np.float32) / np.float32(32768)


def frames(samples, fresh=512, context=64):
    """What the detector takes: each frame's samples behind the last ones of the
    frame before, as an array [frames, 1, context + fresh]."""
    count = len(samples) // fresh
    padded = np.concatenate([np.zeros(context, np.float32), samples])
    return np.stack([padded[None, i * fresh:(i + 1) * fresh + context]
                     for i in range(count)])


def speech(shapes, index, archives):
    """A frame of the recording, and a state as talk leaves it behind."""
    rng = _rng(index)
    every = frames(recording(archives))
    state = rng.normal(size=shapes["state"]).astype(np.float32)
    return {"input": every[(300 + 97 * index) % len(every)], "state": state}
