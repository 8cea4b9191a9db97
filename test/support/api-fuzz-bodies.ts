// SPDX-License-Identifier: Apache-2.0
// Bodies that are wrong as texts or bytes, whatever they mean.
import type { Random } from "../../src/base/random.ts";
import { chance, pick } from "./api-fuzz-values.ts";

/** Kubernetes' own limit of a body. */
const limitBytes = 3 * 1024 * 1024;
const encoder = new TextEncoder();

export interface OddBody {
  readonly body: Uint8Array;
  /** Undefined keeps the one of the request. */
  readonly contentType: string | undefined;
}

const texts = [
  "",
  " ",
  "{",
  "}",
  "[]",
  "null",
  '"x"',
  "7",
  "{}",
  '{"a":1,"a":2}',
  '{"metadata":null}',
  '{"metadata":[]}',
  '{"metadata":{"name":{"a":1}}}',
  '{"kind":1,"apiVersion":{}}',
  '{"a":1e999}',
  '{"a":-}',
  '{"a":01}',
  '{"a":"\\ud800"}',
  '{"\\u005f\\u005fproto__":{"x":1}}',
  '{"a":"\\x"}',
  '{"a":"\n"}',
  "{'a':1}",
  '{"a":1}{"b":2}',
  "\ufeff{}",
  "k8s",
];

const yamlTexts = [
  "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d]\nf: [*e,*e,*e,*e]\n",
  "a: &a\n  b: *a\n",
  "--- {}\n---\n{}",
  "a: !!js/function 'x'\n",
  "<<: {a: 1}\n",
  "? [a]\n: b\n",
  "\t- x",
  "a: 0x7fffffffffffffffff\nb: 1_000\nc: .inf\nd: ~\n",
  "- ".repeat(5000),
  "[".repeat(5000),
  "__proto__: {x: 1}\nmetadata: {name: a}\n",
  "%YAML 9.9\n---\n",
  "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {yes: no, on: off}\n",
];

/** A body, made from the one that the request would have had or out of nothing. */
export function drawOddBody(random: Random, body: Uint8Array | undefined): OddBody {
  const bytes = body ?? encoder.encode('{"metadata":{"name":"a"}}');
  switch (random.int(8)) {
    case 0:
      return { body: encoder.encode(pick(random, texts)), contentType: undefined };
    case 1:
      return { body: encoder.encode(pick(random, yamlTexts)), contentType: "application/yaml" };
    case 2:
      return { body: bytes.slice(0, random.int(bytes.length + 1)), contentType: undefined };
    case 3:
      return { body: flipBytes(random, bytes), contentType: undefined };
    case 4:
      return {
        body: Uint8Array.from([0x6b, 0x38, 0x73, 0, ...random.bytes(random.int(60))]),
        contentType: "application/vnd.kubernetes.protobuf",
      };
    case 5:
      return { body: random.bytes(random.int(200)), contentType: undefined };
    case 6:
      return {
        body: chance(random, 4) ? large(random) : bytes,
        contentType: chance(random, 2) ? "application/json" : undefined,
      };
    default:
      return { body: encoder.encode(`${"[".repeat(20_000)}${"]".repeat(20_000)}`), contentType: "application/json" };
  }
}

function flipBytes(random: Random, bytes: Uint8Array): Uint8Array {
  const flipped = bytes.slice();
  for (let count = 1 + random.int(4); count > 0; count -= 1)
    if (flipped.length > 0) flipped[random.int(flipped.length)] = random.int(256);
  return flipped;
}

/** Just under, at and over the limit, each of another kind of work. */
function large(random: Random): Uint8Array {
  const size = limitBytes - 200 + random.int(3) * 150;
  const head = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},';
  switch (random.int(6)) {
    case 0:
      return encoder.encode(`${head}"data":{"a":"${"x".repeat(size - head.length - 12)}"}}`);
    case 1:
      return encoder.encode(`${head}"data":{"a":${"1".repeat(size - head.length - 12)}}}`);
    case 2:
      return encoder.encode(
        `${head}"x":${'{"a":'.repeat(Math.floor(size / 12))}1${"}".repeat(Math.floor(size / 12))}}`,
      );
    case 3:
      return encoder.encode(`${head}"x":[${"{},".repeat(Math.floor(size / 3) - 100)}{}]}`);
    case 4:
      return encoder.encode(
        `${head}"data":{${Array.from({ length: Math.floor(size / 16) }, (_, index) => `"k${index}":""`).join(",")}}}`,
      );
    default:
      return encoder.encode(" ".repeat(size));
  }
}
