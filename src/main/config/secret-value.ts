// SPDX-License-Identifier: Apache-2.0
import { mask } from "../../telemetry/redact.ts";
import type { ReadFile } from "./read-file.ts";

/** A secret value. It prints and encodes as `***`; only `reveal` returns its text. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }
}

/** How a secret was given: the path of a file, or the text itself. */
export type SecretReference =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "text"; readonly text: string };

const filePrefix = "file:";

/** `file:PATH`, or else the value itself. */
export function parseSecretReference(text: string): SecretReference {
  if (text.startsWith(filePrefix)) return { kind: "file", path: text.slice(filePrefix.length) };
  return { kind: "text", text };
}

/** A secret, with a warning about its file, or the problem. No sentence contains any part of the value. */
export type LoadedSecret =
  | { readonly kind: "secret"; readonly secret: Secret; readonly warning?: string }
  | { readonly kind: "problem"; readonly problem: string };

/** The permission bit that lets all users of the machine read a file. */
const readableByOthers = 0o004;

/** Loads the secret. Surrounding whitespace is trimmed, because files usually end with a newline. */
export function loadSecret(reference: SecretReference, readFile: ReadFile): LoadedSecret {
  if (reference.kind === "text") return toSecret(reference.text, "it is empty");
  const { path } = reference;
  if (path === "") return { kind: "problem", problem: "names no file; write file:PATH" };
  const file = readFile(path);
  if (file.kind === "unreadable") return { kind: "problem", problem: `cannot be read: ${file.reason}` };
  const loaded = toSecret(file.text, `${path} is empty`);
  if (loaded.kind === "problem" || (file.mode & readableByOthers) === 0) return loaded;
  return {
    ...loaded,
    warning: `${path} contains a secret and every user of this machine can read it; run chmod 600 on it`,
  };
}

function toSecret(text: string, ifEmpty: string): LoadedSecret {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "problem", problem: `has no value: ${ifEmpty}` };
  return { kind: "secret", secret: new Secret(trimmed) };
}
