// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { type DraftObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, textAt } from "../../apiserver/json/json-fields.ts";
import { formatTime } from "../../apiserver/schema-decode/go-time.ts";
import type { Clock } from "../../base/time/clock.ts";
import { nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import type { PlaygroundClient } from "./playground-client.ts";
import { hashText } from "./stable-hash.ts";

/** The object of an event. Stored objects do not hold their kind. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonObject;
}

/** The content of an event. Events of one object with equal content are one event with a count. */
export interface EventContent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The reporting component: `kubelet`, `deployment-controller`. */
  readonly component: string;
  /** The node, if a kubelet reports. */
  readonly host?: string;
  /** A part of the object: `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** Longest name of an object, minus the dot and the 16 digits that an event name adds. */
const maxSubjectLength = 236;

/**
 * Most series that are counted up. Above it, the one recorded longest ago is dropped and starts a new event. A quarter
 * of what client-go keeps.
 */
const maxSeriesCount = 1024;

/** Writes events. Repeated content for the same object increments the count of one event. */
export class EventRecorder {
  readonly #client: PlaygroundClient;
  readonly #clock: Clock;
  /** Event names by series, the one recorded longest ago first. */
  readonly #names = new Map<string, string>();
  #lastNs = 0n;

  constructor(client: PlaygroundClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Resolves when the event is written. An event that the server refuses, such as in a terminating namespace, is
   * dropped.
   */
  async record(subject: EventSubject, content: EventContent): Promise<void> {
    const namespace = namespaceOf(subject.object) || "default";
    const series = seriesOf(subject, content);
    const known = this.#names.get(series);
    const isThere = known !== undefined && this.#client.objects.get("events", namespace, known) !== undefined;
    const name = isThere ? known : this.#createName(subject);
    this.#remember(series, name);
    const ref = { resource: "events", namespace, name };
    try {
      if (!isThere) {
        await this.#client.create("events", this.#toEvent({ name, namespace }, subject, content));
        return;
      }
      await this.#client.update(ref, (draft) => {
        draft["count"] = countOf(draft, "count") + 1;
        draft["lastTimestamp"] = formatTime(this.#clock.wallMs());
      });
    } catch (reason) {
      const isTolerable = ["NotFound", "AlreadyExists", "Forbidden"] as const;
      if (!isTolerable.some((each) => isRefusal(reason, each))) throw reason;
    }
  }

  /** Later names of one object sort later: kubectl lists events of the same second by name. */
  #createName({ object }: EventSubject): string {
    const nowNs = BigInt(Math.trunc(this.#clock.wallMs())) * 1_000_000n;
    this.#lastNs = nowNs > this.#lastNs ? nowNs : this.#lastNs + 1n;
    return `${nameOf(object).slice(0, maxSubjectLength)}.${this.#lastNs.toString(16).padStart(16, "0")}`;
  }

  #remember(series: string, name: string): void {
    this.#names.delete(series);
    this.#names.set(series, name);
    const oldest = this.#names.keys().next();
    if (this.#names.size > maxSeriesCount && oldest.done !== true) this.#names.delete(oldest.value);
  }

  #toEvent(
    metadata: { readonly name: string; readonly namespace: string },
    { apiVersion, kind, object }: EventSubject,
    content: EventContent,
  ): DraftObject {
    const { type, reason, message, component, host, fieldPath } = content;
    const namespace = namespaceOf(object);
    const nowText = formatTime(this.#clock.wallMs());
    const resourceVersion = textAt(object, "metadata", "resourceVersion");
    return {
      metadata: { ...metadata },
      involvedObject: {
        kind,
        ...(namespace === "" ? {} : { namespace }),
        name: nameOf(object),
        uid: uidOf(object),
        apiVersion,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(fieldPath === undefined ? {} : { fieldPath }),
      },
      reason,
      message,
      source: { component, ...(host === undefined ? {} : { host }) },
      firstTimestamp: nowText,
      lastTimestamp: nowText,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host ?? "",
    };
  }
}

/** A short text that is equal for events of one series. */
function seriesOf({ object }: EventSubject, content: EventContent): string {
  const { type, reason, message, component, host, fieldPath } = content;
  const text = [uidOf(object), type, reason, message, component, host ?? "", fieldPath ?? ""].join("\n");
  return `${uidOf(object)} ${hashText(text)} ${hashText(`2${text}`)}`;
}
