// SPDX-License-Identifier: Apache-2.0
import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";
import type { Clock } from "../../src/base/time/clock.ts";
import type { KitProcess } from "./kit-process.ts";
import type { KubeClient } from "./kube-client.ts";

/** Between two questions; short against the seconds that kube-apiserver takes. */
const pauseMs = 50;

/** Questions before giving up: half a minute, ten times what a start takes on two busy cores. */
const tryCount = 600;

/** A program ended instead of becoming ready; the message has the end of its output. */
export class ProgramEnded extends Error {}

/** What is waited for. */
export interface Readiness {
  readonly process: KitProcess;
  /** Answers 200 once the program is ready, to anybody. */
  readonly url: string;
  readonly ca: string;
  readonly clock: Clock;
  /** Ends the waiting with its reason. */
  readonly signal: AbortSignal;
}

/** The status of one answer, or the reason why there was none. */
function probe(url: string, ca: string): Promise<number | Error> {
  return new Promise((done) => {
    const options = { agent: false, timeout: 5_000 } as const;
    const call = url.startsWith("https:") ? getHttps(url, { ...options, ca }) : getHttp(url, options);
    call.once("timeout", () => call.destroy(new Error("no answer within 5 s")));
    call.once("error", done);
    call.once("response", (response) => {
      response.resume();
      response.once("close", () => done(response.statusCode ?? 0));
    });
  });
}

/**
 * Resolves when the program says that it is ready; rejects with a ProgramEnded when it ends, and with an Error when
 * time is up.
 */
export async function awaitReady({ process, url, ca, clock, signal }: Readiness): Promise<void> {
  let last: number | Error = 0;
  for (let tried = 0; tried < tryCount; tried += 1) {
    last = await probe(url, ca);
    if (last === 200) return;
    if (process.failure !== undefined) throw new ProgramEnded(process.failure);
    await clock.sleep(pauseMs, signal);
  }
  const told = last instanceof Error ? last.message : `status ${last}`;
  throw new Error(`${process.name} was not ready at ${url} (${told}); the end of its output:\n${process.output}`);
}

/** Resolves when the object is there. A server is ready a moment before it has made its own objects. */
export async function awaitObject(client: KubeClient, path: string, clock: Clock): Promise<void> {
  for (let tried = 0; tried < tryCount; tried += 1) {
    const { status } = await client.send("GET", path);
    if (status === 200) return;
    await clock.sleep(pauseMs);
  }
  throw new Error(`the server has no ${path}`);
}
