"""What scripts of this folder write into a page of the documents."""


def show(text, page, begin, end):
    """Prints `text`, or puts it between the lines `begin` and `end` of `page`
    when that is a path."""
    if not page:
        print(text, end="")
        return
    before, _, rest = page.read_text().partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(before + begin + "\n" + text + "\n" + end + after)
