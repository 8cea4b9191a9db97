// SPDX-License-Identifier: Apache-2.0
import type { Health, Readiness } from "./health.ts";

/** An HTTP response that any listener can send. */
export interface HealthAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const plain = "text/plain; charset=utf-8";

/**
 * Answers `/livez`, `/readyz` and `/healthz`; undefined for any other path. `/livez` is always 200: answering proves
 * that the event loop runs. `/readyz` is 200 or 503, with the checks listed if one fails or `?verbose` is given.
 * `/healthz` returns the same as JSON.
 */
export async function answerHealth(health: Health, requestTarget: string): Promise<HealthAnswer | undefined> {
  const [path, query = ""] = requestTarget.split("?", 2);
  const isVerbose = new URLSearchParams(query).has("verbose");
  switch (path) {
    case "/livez":
      return { status: 200, contentType: plain, body: isVerbose ? "[+] event loop: ok\nlivez: ok\n" : "ok\n" };
    case "/readyz":
      return answerReadyz(await health.load(), isVerbose);
    case "/healthz":
      return answerHealthz(await health.load());
    default:
      return undefined;
  }
}

function answerReadyz(readiness: Readiness, isVerbose: boolean): HealthAnswer {
  const { ready, checks } = readiness;
  if (ready && !isVerbose) return { status: 200, contentType: plain, body: "ok\n" };
  const lines = checks.map((check) => (check.ready ? `[+] ${check.name}: ok` : `[-] ${check.name}: ${check.reason}`));
  lines.push(ready ? "readyz: ok" : "readyz: not ready");
  return { status: statusOf(readiness), contentType: plain, body: `${lines.join("\n")}\n` };
}

function answerHealthz(readiness: Readiness): HealthAnswer {
  const body = JSON.stringify({ live: true, ready: readiness.ready, checks: readiness.checks });
  return { status: statusOf(readiness), contentType: "application/json", body: `${body}\n` };
}

function statusOf(readiness: Readiness): number {
  return readiness.ready ? 200 : 503;
}
