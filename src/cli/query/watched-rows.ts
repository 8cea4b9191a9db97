// SPDX-License-Identifier: Apache-2.0
import type { FoundObject, WatchObjectsResponse } from "../../gen/flotilla/query/v1/query_pb.ts";
import { rowOf, toFoundJson } from "./found-object-json.ts";

/** One change of a view. The words are those of a Kubernetes watch, except MOVED: the same row at another place. */
export interface ViewEvent {
  readonly type: "ADDED" | "MODIFIED" | "MOVED" | "DELETED";
  /** Of a row that has left, as it was last seen. */
  readonly object: FoundObject;
  /** The place in the view after all events of the message, from 0. Undefined for DELETED, and from older hubs. */
  readonly place?: number;
}

interface ViewedObject {
  readonly object: FoundObject;
  /** Its content, to recognise a repeated one. */
  readonly text: string;
}

/**
 * The rows of a live view, as many as its limit, in the order of its query. Turns the hub's messages to events: a
 * snapshot after a reconnect gives only what differs from the rows that were there.
 */
export class WatchedRows {
  readonly #viewed = new Map<string, ViewedObject>();
  /** The keys of the rows, in order. */
  #order: readonly string[] = [];

  /**
   * The events of a message: what left, then the rest by place. Removing all their rows, then inserting each at its
   * place, gives the rows in order.
   */
  apply({ isSnapshot, objects, places, left }: WatchObjectsResponse): readonly ViewEvent[] {
    const sent = objects.map(keyOf);
    const present = new Set(sent);
    const gone = isSnapshot ? this.#order.filter((key) => !present.has(key)) : left.map(keyText);
    const removed = new Set([...gone, ...sent]);
    const order = this.#order.filter((key) => !removed.has(key));
    for (const [at, key] of sent.entries()) order.splice(places[at] ?? order.length, 0, key);
    const kept = isSnapshot ? this.#keptIn(sent) : new Set<string>();
    this.#order = order;
    return [
      ...gone.flatMap((key) => this.#remove(key)),
      ...objects.flatMap((object, at) => this.#put(object, places[at], kept)),
    ];
  }

  /** Of rows that were shown, those that kept their order among each other. The others have moved. */
  #keptIn(sent: readonly string[]): ReadonlySet<string> {
    const before = new Map(this.#order.map((key, place) => [key, place]));
    const kept = new Set<string>();
    let last = -1;
    for (const key of sent) {
      const place = before.get(key) ?? -1;
      if (place <= last) continue;
      last = place;
      kept.add(key);
    }
    return kept;
  }

  #remove(key: string): readonly ViewEvent[] {
    const viewed = this.#viewed.get(key);
    if (viewed === undefined) return [];
    this.#viewed.delete(key);
    return [{ type: "DELETED", object: viewed.object }];
  }

  #put(object: FoundObject, place: number | undefined, kept: ReadonlySet<string>): readonly ViewEvent[] {
    const key = keyOf(object);
    const before = this.#viewed.get(key);
    const text = JSON.stringify(toFoundJson(object));
    const isSame = before?.text === text;
    if (isSame && (place === undefined || kept.has(key))) return [];
    this.#viewed.set(key, { object, text });
    const type = before === undefined ? "ADDED" : isSame ? "MOVED" : "MODIFIED";
    return [{ type, object, ...(place === undefined ? {} : { place }) }];
  }
}

function keyOf(object: FoundObject): string {
  const { resource, namespace, name } = rowOf(object);
  return keyText({ cluster: object.cluster, resource, namespace, name });
}

interface ViewKey {
  readonly cluster: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

function keyText({ cluster, resource, namespace, name }: ViewKey): string {
  return JSON.stringify([cluster, resource, namespace, name]);
}
