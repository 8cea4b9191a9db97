// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { isList, isObject, type Json, type JsonObject } from "../json/json.ts";
import { JsonTextError } from "../json/json-text-error.ts";
import { parseJsonText } from "../json/parse-json.ts";
import { quoteGo } from "../json/quote-go.ts";

/** Where the next page of a list begins. */
export interface ContinueToken {
  /** The revision of all pages; negative for the newest. */
  readonly revision: number;
  /** Key of the last object returned. */
  readonly namespace: string;
  readonly name: string;
  /** The number of objects after it; undefined if a selector makes it unknown. */
  readonly remainingCount: number | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Above the length of any token made here: two names of 253 bytes and two numbers. */
const maxTokenLength = 4096;

/** Encodes a token of version `meta.k8s.io/v1`, with a count added. */
export function encodeContinue(token: ContinueToken): string {
  const text = JSON.stringify({
    v: "meta.k8s.io/v1",
    rv: token.revision,
    start: `${token.namespace === "" ? "" : `${token.namespace}/`}${token.name}\u0000`,
    ...(token.remainingCount === undefined ? {} : { rc: token.remainingCount }),
  });
  return encoder.encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Decodes a token. Throws INVALID_ARGUMENT with kube-apiserver's message for an invalid one. */
export function decodeContinue(text: string, isNamespaced: boolean): ContinueToken {
  const { v = "", rv, start, rc } = parseToken(text);
  if (typeof v !== "string") return refuse(mistyped(v, "Go struct field continueToken.v of type string"));
  if (v !== "meta.k8s.io/v1") return refuse(`server does not recognize this encoded version ${v}`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0)
    return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "") return refuse("encoded start key empty (version meta.k8s.io/v1)");
  const key = (start.endsWith("\u0000") ? start.slice(0, -1) : start).replace(/^\//, "");
  // Refuses path traversal and keys that no object can have.
  if (key.split("/").some((part) => part === "" || part === "." || part === "..")) return refuse(start);
  const slash = isNamespaced ? key.indexOf("/") : -1;
  return {
    revision: rv,
    namespace: slash < 0 ? "" : key.slice(0, slash),
    name: key.slice(slash + 1),
    remainingCount: typeof rc === "number" && Number.isSafeInteger(rc) && rc >= 0 ? rc : undefined,
  };
}

function parseToken(text: string): JsonObject {
  if (text.length > maxTokenLength) return refuse("it is too long");
  const bytes = decodeBase64(text);
  const [first = 0] = bytes;
  // Go decodes bytes, and shows a byte that starts no character as if it were Latin-1.
  if (first >= 0x80)
    return refuse(
      `invalid character '${quoteGo(String.fromCharCode(first)).slice(1, -1)}' looking for beginning of value`,
    );
  try {
    const { value } = parseJsonText(decoder.decode(bytes), { findDuplicates: false });
    if (isObject(value)) return value;
    return value === null ? {} : refuse(mistyped(value, "Go value of type storage.continueToken"));
  } catch (reason) {
    if (!(reason instanceof JsonTextError)) throw reason;
    return refuse(reason.message);
  }
}

function mistyped(value: Json, goType: string): string {
  const type = isList(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${type} into ${goType}`;
}

function decodeBase64(text: string): Uint8Array {
  const wrong = /[^\w-]/.exec(text)?.index ?? (text.length % 4 === 1 ? text.length - 1 : undefined);
  if (wrong !== undefined) return refuse(`illegal base64 data at input byte ${wrong}`);
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

function refuse(because: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", `continue key is not valid: ${because}`);
}
