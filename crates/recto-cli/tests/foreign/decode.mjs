// Reads .bin files with protobuf.js and prints the same summary as decode.py.
//
// node decode.mjs PROTO-FOLDER FILE.bin...

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

const load = createRequire(join(process.cwd(), "package.json"));
const protobuf = load("protobufjs");
const [folder, ...files] = process.argv.slice(2);

// The options import it; it comes with the package but is not known by itself.
const descriptor = load("protobufjs/google/protobuf/descriptor.json");
protobuf.common("descriptor", descriptor.nested.google.nested.protobuf.nested);
const root = new protobuf.Root();
root.resolvePath = (origin, target) => (target.startsWith("google/") ? target : join(folder, target));
root.loadSync("recto/package.proto", { keepCase: true });
root.resolveAll();
const Package = root.lookupType("recto.Package");

// Number of values in a message and the greatest nesting; collects its strings, by field number.
function summarize(message, type, strings, nesting = 1) {
  let values = 0;
  let deepest = nesting;
  for (const field of [...type.fieldsArray].sort((a, b) => a.id - b.id)) {
    if (!Object.hasOwn(message, field.name) || message[field.name] == null) continue;
    for (const item of field.repeated ? message[field.name] : [message[field.name]]) {
      if (field.resolvedType instanceof protobuf.Type) {
        const [inner, depth] = summarize(item, field.resolvedType, strings, nesting + 1);
        values += inner;
        deepest = Math.max(deepest, depth);
      } else {
        values += 1;
        if (field.type === "string") strings.update(`${field.id}:${item}\n`);
      }
    }
  }
  return [values, deepest];
}

for (const file of files) {
  const bundle = Package.decode(readFileSync(file));
  console.log(`${basename(file, ".bin")}: version ${bundle.header.format_version}, kind ${bundle.header.kind}`);
  const Part = root.lookupType("recto.Part");
  for (const part of bundle.parts) {
    const strings = createHash("sha256");
    const [values, nesting] = summarize(part, Part, strings);
    const hash = strings.digest("hex").slice(0, 16);
    console.log(`  ${part.name}: ${part.content}, ${values} values, nesting ${nesting}, ${hash}`);
  }
}
