// SPDX-License-Identifier: Apache-2.0
// What a browser loads before the page does anything (PG7).
import { get } from "node:http";
import { brotliDecompressSync } from "node:zlib";
import { reportPromise } from "../support/promise.ts";

/** As issue 6 promises it. */
const goalKb = 200;

/** The entry, what it imports at once, and the worker that holds the stream, each as the hub sends it. */
export async function benchScriptSize(plainUrl: string): Promise<void> {
  const html = (await load(`${plainUrl}/ui/`)).text;
  const sizes = new Map<string, number>();
  const waiting = [...html.matchAll(/(?:src|href)="(\/ui\/assets\/[^"]+\.js)"/g)].map(([, path = ""]) => path);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (sizes.has(path)) continue;
    const { text, sentBytes } = await load(`${plainUrl}${path}`);
    sizes.set(path, sentBytes);
    const names = [
      ...text.matchAll(/\bfrom\s*"\.\/([^"]+\.js)"|\bimport\s*"\.\/([^"]+\.js)"|([\w.-]+\.worker-[\w-]+\.js)/g),
    ];
    for (const [, from, bare, worker] of names) waiting.push(`/ui/assets/${from ?? bare ?? worker ?? ""}`);
  }
  const more = Object.fromEntries([...sizes].map(([path, bytes]) => [path.split("/").at(-1) ?? "", bytes / 1_000]));
  const ours = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) / 1_000;
  const against = { kind: "atMost", value: goalKb } as const;
  reportPromise({ bench: "ui", what: "initial script, brotli", ours, unit: "kB", against, more });
}

async function load(url: string): Promise<{ readonly text: string; readonly sentBytes: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array[]>();
  get(url, { headers: { "accept-encoding": "br" } }, (answer) => {
    if (answer.statusCode !== 200 || answer.headers["content-encoding"] !== "br")
      reject(new Error(`${url} came with ${answer.statusCode} and not as brotli`));
    const parts: Uint8Array[] = [];
    answer.on("data", (part: Uint8Array) => void parts.push(part)).on("end", () => resolve(parts));
    answer.on("error", reject);
  }).on("error", reject);
  const bytes = Buffer.concat(await promise);
  return { text: brotliDecompressSync(bytes).toString("utf8"), sentBytes: bytes.length };
}
