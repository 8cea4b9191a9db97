// SPDX-License-Identifier: Apache-2.0
import { request } from "node:https";
import type { BenchServer } from "../apiserver/servers.ts";

/** Longest line that is read: objects of this bench take some hundred bytes. */
const maxLineLength = 1024 * 1024;

/** One watch of an API server, as any client has it: calls back with each event. Rejects if it ends by itself. */
export function watchPlainly(
  { port, ca, token }: BenchServer,
  path: string,
  onEvent: (event: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    const fail = (reason: Error): void => (signal.aborted ? resolve() : reject(reason));
    const call = request({ host: "127.0.0.1", port, ca, path: `${path}?watch=true`, headers, signal }, (response) => {
      let rest = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        if (rest.length > maxLineLength) response.destroy(new Error(`an event of ${path} is too long`));
        for (const line of lines) if (line !== "") onEvent(JSON.parse(line));
      });
      response.once("error", fail);
      response.once("end", () => fail(new Error(`the watch of ${path} ended with status ${response.statusCode}`)));
    });
    call.once("error", fail);
    call.end();
  });
}
