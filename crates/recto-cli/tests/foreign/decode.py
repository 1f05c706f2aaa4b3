"""Reads .bin files with Google's protobuf: prints a summary, or changes one thing and writes them again.

decode.py MODULES FILE.bin...              prints a summary of each file
decode.py MODULES --edit FILE.bin OUT.bin  changes the text "First", or the number in B2, and writes OUT.bin
"""

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from recto import package_pb2  # noqa: E402


def summarize(message, strings, nesting=1):
    """Number of values in a message and the greatest nesting; collects its strings, by field number."""
    values, deepest = 0, nesting
    for field, value in message.ListFields():
        repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
        for item in value if repeated else [value]:
            if field.type == field.TYPE_MESSAGE:
                inner, depth = summarize(item, strings, nesting + 1)
                values, deepest = values + inner, max(deepest, depth)
            else:
                values += 1
                if field.type == field.TYPE_STRING:
                    strings.update(f"{field.number}:{item}\n".encode())
    return values, deepest


def summary(path):
    package = package_pb2.Package.FromString(Path(path).read_bytes())
    print(f"{Path(path).stem}: version {package.header.format_version}, kind {package.header.kind}")
    for part in package.parts:
        strings = hashlib.sha256()
        values, nesting = summarize(part, strings)
        print(f"  {part.name}: {part.WhichOneof('content')}, {values} values, nesting {nesting}, {strings.hexdigest()[:16]}")


def edit(package):
    """Changes one text of a document or one number of a sheet; how many were changed."""
    changed = 0
    for part in package.parts:
        for block in part.document.body.content if part.HasField("document") else []:
            for inline in block.paragraph.content:
                for content in inline.run.content:
                    if content.text.value == "First":
                        content.text.value = "Changed by Python"
                        changed += 1
        for row in part.worksheet.data.rows if part.HasField("worksheet") else []:
            for cell in row.cells:
                if row.index == 2 and cell.column == 2 and cell.HasField("number"):
                    cell.number = 0.1 + 0.2
                    changed += 1
    return changed


if sys.argv[2] == "--edit":
    read = package_pb2.Package.FromString(Path(sys.argv[3]).read_bytes())
    if edit(read) != 1:
        sys.exit("nothing, or too much, was changed")
    Path(sys.argv[4]).write_bytes(read.SerializeToString())
else:
    for name in sys.argv[2:]:
        summary(name)
