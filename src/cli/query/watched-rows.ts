// SPDX-License-Identifier: Apache-2.0
import type { FoundObject, WatchObjectsResponse } from "../../gen/flotilla/query/v1/query_pb.ts";
import { rowOf, toFoundJson } from "./found-object-json.ts";

/** One change of a view. The words are those of a Kubernetes watch. */
export interface ViewEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** Of a row that has left, as it was last seen. */
  readonly object: FoundObject;
}

interface ViewedObject {
  readonly object: FoundObject;
  /** Its content, to recognise a repeated one. */
  readonly text: string;
}

/**
 * The rows of a live view, as many as its limit. Turns the hub's messages to events: a snapshot after a reconnect gives
 * only what differs from the rows that were there.
 */
export class WatchedRows {
  readonly #viewed = new Map<string, ViewedObject>();

  apply({ isSnapshot, objects, left }: WatchObjectsResponse): readonly ViewEvent[] {
    const keys = left.map(({ cluster, resource, namespace, name }) => keyText(cluster, resource, namespace, name));
    const missing = isSnapshot ? this.#missingIn(objects) : [];
    return [
      ...[...keys, ...missing].flatMap((key) => this.#remove(key)),
      ...objects.flatMap((object) => this.#put(object)),
    ];
  }

  #missingIn(objects: readonly FoundObject[]): readonly string[] {
    const present = new Set(objects.map(keyOf));
    return [...this.#viewed.keys()].filter((key) => !present.has(key));
  }

  #remove(key: string): readonly ViewEvent[] {
    const viewed = this.#viewed.get(key);
    if (viewed === undefined) return [];
    this.#viewed.delete(key);
    return [{ type: "DELETED", object: viewed.object }];
  }

  #put(object: FoundObject): readonly ViewEvent[] {
    const key = keyOf(object);
    const before = this.#viewed.get(key);
    const text = JSON.stringify(toFoundJson(object));
    if (before?.text === text) return [];
    this.#viewed.set(key, { object, text });
    return [{ type: before === undefined ? "ADDED" : "MODIFIED", object }];
  }
}

function keyOf(object: FoundObject): string {
  const { resource, namespace, name } = rowOf(object);
  return keyText(object.cluster, resource, namespace, name);
}

function keyText(...parts: readonly [cluster: string, resource: string, namespace: string, name: string]): string {
  return JSON.stringify(parts);
}
