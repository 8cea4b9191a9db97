// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { protobufType } from "../../src/apiserver/request/accept.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import { readFrames } from "../support/watch-frames.ts";
import { type Answer, comparedHeaders, parseBody, parseJson } from "./answer.ts";
import type { Step } from "./scenario.ts";
import type { ServerUnderTest } from "./server-under-test.ts";

/**
 * The longest honest answer takes 3 s (a resourceVersion of the future). An answer that began and does not end, which
 * is a watch where a refusal was due, is taken as far as it came; so is a watch that stays silent.
 */
const answerLimitMs = 10_000;
const watchLimitMs = 6_000;

/** Requests on connections that are kept. Close it, or they stay. */
export class StepClient {
  readonly #server: ServerUnderTest;
  readonly #clock: Clock;
  readonly #agent: Agent;

  constructor(server: ServerUnderTest, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, ca: server.ca });
  }

  /** One request with its whole answer, or with as many events as the step wants. Rejects if no answer comes. */
  send(step: Step): Promise<Answer> {
    const url = new URL(this.#server.url);
    const query = new URLSearchParams({ ...step.query }).toString();
    const body = bodyOf(step);
    return new Promise((done, fail) => {
      const call = request({
        agent: this.#agent,
        host: url.hostname,
        port: url.port,
        method: step.method,
        path: query === "" ? step.path : `${step.path}?${query}`,
        headers: { ...this.#headersOf(step), ...(body === undefined ? {} : { "content-length": String(body.length) }) },
      });
      let onLimit = (): void => void call.destroy(new Error(`no answer: ${step.name}`));
      const cancelLimit = this.#clock.setTimer(answerLimitMs, () => onLimit());
      const finish = (answer: Answer): void => {
        cancelLimit();
        done(answer);
      };
      call.once("error", (reason) => {
        cancelLimit();
        fail(reason);
      });
      call.once("response", (response) => {
        response.once("error", (reason) => call.destroy(reason));
        if (step.events !== undefined && response.statusCode === 200) this.#readEvents(response, step.events, finish);
        else onLimit = readWhole(response, finish);
      });
      call.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #headersOf(step: Step): Record<string, string | string[]> {
    const sent: Record<string, string | string[]> = { accept: "application/json" };
    const user = step.as ?? "admin";
    if (user === "stranger") sent["authorization"] = "Bearer of-a-stranger";
    else if (user !== "nobody") sent["authorization"] = `Bearer ${this.#server.token(user)}`;
    if (step.body !== undefined) sent["content-type"] = "application/json";
    for (const [name, value] of Object.entries(step.headers ?? {})) {
      if (value === null) Reflect.deleteProperty(sent, name.toLowerCase());
      else sent[name.toLowerCase()] = typeof value === "string" ? value : [...value];
    }
    return sent;
  }

  #readEvents(response: IncomingMessage, count: number, finish: (answer: Answer) => void): void {
    const events: unknown[] = [];
    const isProtobuf = response.headers["content-type"]?.startsWith(protobufType) === true;
    let pending: Buffer = Buffer.alloc(0);
    const end = (): void => {
      cancelLimit();
      response.removeAllListeners("data");
      response.destroy();
      finish({ ...headOf(response), body: events });
    };
    const cancelLimit = this.#clock.setTimer(watchLimitMs, end);
    response.on("data", (chunk: Buffer) => {
      const taken = (isProtobuf ? readFrames : readLines)(Buffer.concat([pending, chunk]));
      pending = taken.rest;
      events.push(...taken.events.slice(0, count - events.length));
      if (events.length >= count) end();
    });
    response.once("end", end);
  }
}

/** The events of a watch in JSON, as far as their lines are whole, and the bytes behind them. */
function readLines(bytes: Buffer): { readonly events: readonly unknown[]; readonly rest: Buffer } {
  const end = bytes.lastIndexOf("\n") + 1;
  const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
  return { events: lines.map((line) => parseJson(line)), rest: bytes.subarray(end) };
}

function bodyOf({ body, text, base64 }: Step): Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  if (text !== undefined) return Buffer.from(text);
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body));
}

function headOf(response: IncomingMessage): Pick<Answer, "status" | "headers"> {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    if (!comparedHeaders.has(name) || values === undefined) continue;
    headers[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return { status: response.statusCode ?? 0, headers };
}

/** Reads to the end. What it gives ends the answer where it is. */
function readWhole(response: IncomingMessage, finish: (answer: Answer) => void): () => void {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  const end = (): void => {
    const body = parseBody(Buffer.concat(chunks), response.headers["content-type"] ?? "");
    finish({ ...headOf(response), ...(body === undefined ? {} : { body }) });
  };
  response.once("end", end);
  return () => {
    response.off("end", end);
    response.destroy();
    end();
  };
}
