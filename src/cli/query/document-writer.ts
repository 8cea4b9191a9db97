// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import type { TextOutput } from "../output/io.ts";
import { toJsonText, toYaml } from "../output/output.ts";

/**
 * Prints one JSON or YAML document whose first field is a list, element by element, so that memory is bounded. `end`
 * prints the other fields. Without `end` the document is incomplete and does not parse.
 */
export class DocumentWriter {
  readonly #output: TextOutput;
  readonly #format: "json" | "yaml";
  readonly #listName: string;
  #count = 0;

  constructor(output: TextOutput, format: "json" | "yaml", listName: string) {
    this.#output = output;
    this.#format = format;
    this.#listName = listName;
  }

  async add(elements: readonly JsonObject[]): Promise<void> {
    if (elements.length === 0) return;
    const isFirst = this.#count === 0;
    this.#count += elements.length;
    if (this.#format === "yaml") {
      // A list may stand at the indentation of its key.
      this.#output.write(`${isFirst ? `${this.#listName}:\n` : ""}${await toYaml(elements)}`);
      return;
    }
    const texts = elements.map((each) => `    ${toJsonText(each, 2).replaceAll("\n", "\n    ")}`);
    this.#output.write(`${isFirst ? `{\n  "${this.#listName}": [\n` : ",\n"}${texts.join(",\n")}`);
  }

  async end(fields: JsonObject): Promise<void> {
    const isEmpty = this.#count === 0;
    if (this.#format === "yaml") {
      this.#output.write(await toYaml(isEmpty ? { [this.#listName]: [], ...fields } : fields));
      return;
    }
    if (isEmpty) {
      this.#output.write(`${toJsonText({ [this.#listName]: [], ...fields }, 2)}\n`);
      return;
    }
    const text = toJsonText(fields, 2);
    const hasFields = Object.keys(fields).length > 0;
    this.#output.write(`\n  ]${hasFields ? `,${text.slice(1)}` : "\n}"}\n`);
  }
}
