// SPDX-License-Identifier: Apache-2.0
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { KubeError } from "../kube-error.ts";
import type { WireAnswer } from "./channel.ts";

/**
 * The body of an answer as bytes, decompressed if needed. Throws a KubeError `malformed` for an encoding that was not
 * requested.
 */
export function decodedStream(answer: WireAnswer): Readable {
  const encoding = (answer.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return answer.stream;
  if (encoding !== "gzip")
    throw new KubeError("malformed", `the answer is encoded as ${JSON.stringify(encoding.slice(0, 40))}`);
  const gunzip = createGunzip();
  answer.stream.once("error", (reason) => gunzip.destroy(reason));
  answer.stream.once("close", () => {
    if (!answer.stream.readableEnded) gunzip.destroy(new KubeError("tcp", "the connection was closed"));
  });
  gunzip.once("close", () => answer.stream.unpipe(gunzip));
  gunzip.on("error", () => undefined); // the reader receives it
  return answer.stream.pipe(gunzip);
}

/** Yields the bytes as the reader consumes them. Throws if the body broke off; the caller translates the error. */
export async function* readWhole(answer: WireAnswer, stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) {
      if (chunk instanceof Uint8Array) yield chunk;
    }
  } catch (reason) {
    // A decompressor reports a body that broke off as malformed.
    if (answer.stream.readableEnded && !answer.isWhole()) throw brokenOff(reason);
    throw reason;
  }
  if (!answer.isWhole()) throw brokenOff();
}

function brokenOff(cause?: unknown): KubeError {
  return new KubeError("tcp", "the connection was closed before the answer was complete", { cause });
}

/**
 * The first `boundBytes` of the body as text, or what arrived before it broke off: part of a message is better than
 * none.
 */
export async function readStart(answer: WireAnswer, boundBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const part of readWhole(answer, decodedStream(answer))) {
      parts.push(part.subarray(0, boundBytes - sizeBytes));
      sizeBytes += part.length;
      if (sizeBytes >= boundBytes) break;
    }
  } catch (reason) {
    if (!(reason instanceof Error)) throw reason;
  }
  return Buffer.concat(parts).toString("utf8");
}
