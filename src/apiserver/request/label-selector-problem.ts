// SPDX-License-Identifier: Apache-2.0
// kube-apiserver's message for an invalid label selector. src/model decides whether one is valid.
import { parseInt64 } from "../../model/selectors/label-selector.ts";
import { labelKeyErrors, labelValueErrors } from "../metadata/label-rules.ts";
import { type FieldError, invalidValue, toSentence } from "../status/field-error.ts";

/** An operator or punctuation mark, or a run of other characters without blanks. */
const tokenForm = /==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+/g;
const marks: ReadonlySet<string> = new Set(["=", "==", "!=", "!", "(", ")", ",", ">", "<"]);

/** The message for an invalid selector. */
export function labelSelectorProblem(text: string): string {
  const [whole = ""] = text.split("\u0000", 1);
  const reader = new Reader(whole.match(tokenForm) ?? []);
  return reader.problem() ?? "unable to parse requirement: the label selector cannot be read";
}

/** Reads a selector up to its first error. The end of the text is an empty token. */
class Reader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  problem(): string | undefined {
    for (;;) {
      const token = this.#peek();
      if (token === "") return undefined;
      if (token !== "!" && !isWord(token)) return `found '${token}', expected: !, identifier, or 'end of string'`;
      const wrong = this.#requirement();
      if (wrong !== undefined) return `unable to parse requirement: ${wrong}`;
      const after = this.#take();
      if (after === "") return undefined;
      if (after !== ",") return `found '${after}', expected: ',' or 'end of string'`;
      if (this.#peek() !== "!" && !isWord(this.#peek()))
        return `found '${this.#peek()}', expected: identifier after ','`;
    }
  }

  #peek(): string {
    return this.#tokens[this.#next] ?? "";
  }

  #take(): string {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #requirement(): string | undefined {
    const isNegated = this.#peek() === "!";
    if (isNegated) this.#next += 1;
    const key = this.#take();
    if (!isWord(key)) return `found '${key}', expected: identifier`;
    const wrongKey = labelKeyErrors(key);
    if (wrongKey.length > 0) return toSentence(invalidValue("<nil>", key, wrongKey.join("; ")));
    if (isNegated || this.#peek() === "" || this.#peek() === ",") return undefined;
    const operator = this.#take();
    if (operator === "in" || operator === "notin") return this.#values(key);
    if (!["=", "==", "!=", ">", "<"].includes(operator))
      return `found '${operator}', expected: in, notin, =, ==, !=, gt, lt`;
    return this.#exactValue(key, operator === ">" || operator === "<");
  }

  #exactValue(key: string, isNumber: boolean): string | undefined {
    const isEmpty = this.#peek() === "" || this.#peek() === ",";
    const value = isEmpty ? "" : this.#take();
    if (!isEmpty && !isWord(value)) return `found '${value}', expected: identifier`;
    const because = "for 'Gt', 'Lt' operators, the value must be an integer";
    const isInteger = parseInt64(value) !== undefined;
    return joinProblems([
      ...(isNumber && !isInteger ? [invalidValue("values[0]", value, because)] : []),
      ...valueErrors(key, [value]),
    ]);
  }

  #values(key: string): string | undefined {
    const open = this.#take();
    if (open !== "(") return `found '${open}' expected: '('`;
    const first = this.#peek();
    if (first !== ")" && first !== "," && !isWord(first)) return `found '${first}', expected: ',', ')' or identifier`;
    const values = new Set<string>();
    for (;;) {
      const token = this.#peek();
      if (token === ")" || token === ",") values.add("");
      else if (isWord(token)) values.add(this.#take());
      else return `found '${token}', expected: ',', or identifier`;
      const after = this.#take();
      if (after === ")") return joinProblems(valueErrors(key, [...values].sort()));
      if (after !== ",") return `found '${after}', expected: ',' or ')'`;
    }
  }
}

function isWord(token: string): boolean {
  return token !== "" && !marks.has(token);
}

function valueErrors(key: string, values: readonly string[]): readonly FieldError[] {
  return values.flatMap((value, index) => {
    const errors = labelValueErrors(value);
    return errors.length === 0 ? [] : [invalidValue(`values[${index}][${key}]`, value, errors.join("; "))];
  });
}

function joinProblems(errors: readonly FieldError[]): string | undefined {
  const sentences = errors.map(toSentence);
  return sentences.length > 1 ? `[${sentences.join(", ")}]` : sentences[0];
}
