// SPDX-License-Identifier: Apache-2.0
import type { AskConnection } from "./light-client.ts";
import { namespaceOf, type ObjectKind } from "./objects.ts";

/** One write: `serial` counts the writes to one server from 0. */
export interface WriteRequest {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: string;
}

export function createRequest(kind: ObjectKind, serial: number): WriteRequest {
  return { method: "POST", path: kind.collection(namespaceOf(serial)), body: kind.text(nameOf(serial), 0) };
}

/** Changes one of the first `objectCount` objects, each in its turn, so that no write changes nothing. */
export function updateRequest(kind: ObjectKind, serial: number, objectCount: number): WriteRequest {
  const object = serial % objectCount;
  const name = nameOf(object);
  const version = 1 + Math.floor(serial / objectCount);
  return { method: "PUT", path: `${kind.collection(namespaceOf(object))}/${name}`, body: kind.text(name, version) };
}

function nameOf(serial: number): string {
  return `object-${String(serial).padStart(6, "0")}`;
}

/** The writes of one turn. */
export interface Turn {
  readonly tookMs: number;
  /** Of each write, in no particular order. */
  readonly latenciesMs: readonly number[];
}

/** Writes on all connections at once, one write under way on each, until `isOver` says so. */
export async function runTurn(
  connections: readonly AskConnection[],
  nextRequest: () => WriteRequest,
  isOver: (elapsedMs: number) => boolean,
): Promise<Turn> {
  const startedMs = performance.now();
  const latenciesMs: number[] = [];
  const writeOn = async (connection: AskConnection): Promise<void> => {
    for (let nowMs = performance.now(); !isOver(nowMs - startedMs); ) {
      const { method, path, body } = nextRequest();
      await connection.ask(method, path, body);
      const endMs = performance.now();
      latenciesMs.push(endMs - nowMs);
      nowMs = endMs;
    }
  };
  await Promise.all(connections.map(writeOn));
  return { tookMs: performance.now() - startedMs, latenciesMs };
}

/** The value that this part of the sorted values does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
