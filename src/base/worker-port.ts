// SPDX-License-Identifier: Apache-2.0
// A WorkerPort to an engine in another thread: one message per call, one per answer.
import { type MessagePort, type ResourceLimits, Worker } from "node:worker_threads";
import { type ErrorIds, FlotillaError } from "./error.ts";
import type { ErrorCode } from "./error-codes.ts";

/** The same methods with asynchronous answers: from another thread, or after simulated delay. */
export type WorkerPort<Engine> = {
  readonly [Method in keyof Engine]: Engine[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Answer =
  | { readonly id: number; readonly value: unknown }
  | {
      readonly id: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly ids: ErrorIds;
      readonly cause: string;
    };

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** The worker module beside `importer`, in source or built form. */
export function workerModule(name: string, importer: string): URL {
  return new URL(`./${name}${importer.endsWith(".ts") ? ".ts" : ".js"}`, importer);
}

/**
 * Starts the worker and resolves when its engine is open. Rejects with the engine's error if it cannot be opened.
 * `close` ends the worker. If it dies by itself, which only a bug can cause, pending and later calls are refused with
 * INTERNAL.
 */
export async function openWorkerPort<Engine extends { close(): unknown }>(
  module: URL,
  workerData: unknown,
  resourceLimits: ResourceLimits = {},
): Promise<WorkerPort<Engine>> {
  const name = module.pathname.replace(/^.*\/|\.[jt]s$/g, "");
  const worker = new Worker(module, { workerData, resourceLimits });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: Error | undefined;

  const end = (error: Error): void => {
    ended ??= error;
    for (const call of waiting.values()) call.reject(ended);
    waiting.clear();
  };
  worker.on("message", (answer: Answer) => {
    const call = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ("value" in answer) call?.resolve(answer.value);
    else call?.reject(new FlotillaError(answer.code, answer.message, { ids: answer.ids, cause: answer.cause }));
  });
  worker.on("error", (cause) => end(new FlotillaError("INTERNAL", `the thread ${name} failed`, { cause })));
  const exited = new Promise<void>((resolve) => {
    worker.on("exit", () => {
      end(new FlotillaError("UNAVAILABLE", `the thread ${name} has ended`));
      resolve();
    });
  });

  const call = (method: string, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) {
        reject(ended);
        return;
      }
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      worker.postMessage({ id: lastId, method, args } satisfies Call);
    });

  try {
    await call("open", []);
  } catch (reason) {
    await worker.terminate();
    throw reason;
  }
  return new Proxy({} as WorkerPort<Engine>, {
    get(_target, method) {
      // A port is not a thenable: `await port` must not call a method `then` of the engine.
      if (typeof method !== "string" || method === "then") return undefined;
      return async (...args: unknown[]) => {
        const value = await call(method, args);
        // The thread ends by itself, not by terminate(): otherwise resources that an engine has not released would go
        // unnoticed.
        if (method === "close") await exited;
        return value;
      };
    },
  });
}

/**
 * The worker's side: opens the engine at the first call, then runs calls in order. `close` is the last call. The thread
 * ends when its engine has released everything, so an engine that does not keeps it alive.
 */
export function serveEngine(port: MessagePort, open: () => object): void {
  let engine: Readonly<Record<string, unknown>> = {};
  const answerCall = async ({ id, method, args }: Call): Promise<void> => {
    try {
      if (method === "open") {
        engine = open() as Readonly<Record<string, unknown>>;
        port.postMessage({ id, value: undefined } satisfies Answer);
        return;
      }
      const run = engine[method];
      if (typeof run !== "function") throw new TypeError(`the engine has no method ${method}`);
      const value: unknown = await Reflect.apply(run, engine, args);
      port.postMessage({ id, value } satisfies Answer);
      if (method === "close") port.close();
    } catch (reason) {
      port.postMessage(toAnswer(id, method, reason));
    }
  };
  port.on("message", (call: Call) => void answerCall(call));
}

function toAnswer(id: number, method: string, reason: unknown): Answer {
  const cause = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  if (reason instanceof FlotillaError)
    return { id, code: reason.code, message: reason.message, ids: reason.ids, cause };
  return { id, code: "INTERNAL", message: `an unexpected error in ${method}`, ids: {}, cause };
}
