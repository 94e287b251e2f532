"""What scripts of this folder write into a page of the documents."""


import sys


def show(text, page, begin, end):
    """Prints `text`, or puts it between the lines `begin` and `end` of `page`
    when that is a path."""
    if not page:
        print(text, end="")
        return
    before, has_begin, rest = page.read_text().partition(begin)
    _, has_end, after = rest.partition(end)
    if not has_begin or not has_end:
        print(text, end="")
        sys.exit(f"{page} has no lines '{begin.strip()}' and '{end.strip()}'")
    page.write_text(before + begin + "\n" + text + "\n" + end + after)
