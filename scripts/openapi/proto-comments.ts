// SPDX-License-Identifier: Apache-2.0
import type { AnyDesc, DescEnum, DescFile, DescMessage, DescService } from "@bufbuild/protobuf";

/** The comment of a declaration as Markdown, one line a paragraph; "" if it has none. */
export type CommentOf = (desc: AnyDesc) => string;

/** Field numbers of descriptor.proto, which make up the path of a declaration. */
const inFile = { message: 4, enumeration: 5, service: 6 };
const inMessage = { field: 2, message: 3, enumeration: 4, oneof: 8 };
const inEnum = { value: 2 };
const inService = { method: 2 };

/** Reads the comments before the declarations of files that were compiled with their source positions. */
export function readComments(files: readonly DescFile[]): CommentOf {
  const found = new Map<AnyDesc, string>();
  for (const file of files) addFile(found, file);
  return (desc) => found.get(desc) ?? "";
}

function addFile(found: Map<AnyDesc, string>, file: DescFile): void {
  const byPath = new Map(
    (file.proto.sourceCodeInfo?.location ?? []).map(({ path, leadingComments }) => [path.join("."), leadingComments]),
  );
  const add = (desc: AnyDesc, path: readonly number[]): void => {
    found.set(desc, joinLines(byPath.get(path.join(".")) ?? ""));
  };
  const addEnum = (desc: DescEnum, path: readonly number[]): void => {
    add(desc, path);
    for (const [at, value] of desc.values.entries()) add(value, [...path, inEnum.value, at]);
  };
  const addMessage = (desc: DescMessage, path: readonly number[]): void => {
    add(desc, path);
    for (const [at, field] of desc.fields.entries()) add(field, [...path, inMessage.field, at]);
    for (const [at, oneof] of desc.oneofs.entries()) add(oneof, [...path, inMessage.oneof, at]);
    for (const nested of desc.nestedMessages)
      addMessage(nested, [...path, inMessage.message, desc.proto.nestedType.indexOf(nested.proto)]);
    for (const nested of desc.nestedEnums)
      addEnum(nested, [...path, inMessage.enumeration, desc.proto.enumType.indexOf(nested.proto)]);
  };
  const addService = (desc: DescService, path: readonly number[]): void => {
    add(desc, path);
    for (const [at, method] of desc.methods.entries()) add(method, [...path, inService.method, at]);
  };
  for (const [at, message] of file.messages.entries()) addMessage(message, [inFile.message, at]);
  for (const [at, each] of file.enums.entries()) addEnum(each, [inFile.enumeration, at]);
  for (const [at, service] of file.services.entries()) addService(service, [inFile.service, at]);
}

/** Lines of a paragraph are joined; an empty line stays. */
function joinLines(comment: string): string {
  const paragraphs = comment.split(/\n[ \t]*\n/).map((text) => text.replaceAll(/\s+/g, " ").trim());
  return paragraphs.filter((text) => text !== "").join("\n\n");
}
