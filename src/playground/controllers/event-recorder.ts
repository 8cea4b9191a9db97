// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { type DraftObject, type JsonObject, textAt } from "../../apiserver/json/json.ts";
import { formatTime } from "../../apiserver/metadata/time-text.ts";
import type { Clock } from "../../base/clock.ts";
import { countOf, nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import type { PlaygroundClient } from "./playground-client.ts";
import { hashText } from "./stable-hash.ts";

/** Who an event is about: the stored object, which does not say its kind. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: JsonObject;
}

/** What is said. Events about one object that are equal in all of this are one event with a count. */
export interface EventContent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Who says so: `kubelet`, `deployment-controller`. */
  readonly component: string;
  /** The node, where a kubelet speaks. */
  readonly host?: string;
  /** A part of the object: `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** Longest name of an object, less the dot and the 16 digits that follow it in an event's. */
const maxSubjectLength = 236;

/** Writes events. The same said again of the same object counts up instead of filling the cluster. */
export class EventRecorder {
  readonly #client: PlaygroundClient;
  readonly #clock: Clock;

  constructor(client: PlaygroundClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Resolves when the event is written. An event that cannot be (the namespace is going) is let go: it changes nothing. */
  async record(subject: EventSubject, content: EventContent): Promise<void> {
    const event = this.#toEvent(subject, content);
    const { namespace, name } = event["metadata"] as { readonly namespace: string; readonly name: string };
    const ref = { resource: "events", namespace, name };
    try {
      if (this.#client.objects.get("events", namespace, name) === undefined) {
        await this.#client.create("events", event);
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

  #toEvent({ apiVersion, kind, object }: EventSubject, content: EventContent): DraftObject {
    const { type, reason, message, component, host, fieldPath } = content;
    const namespace = namespaceOf(object);
    const nowText = formatTime(this.#clock.wallMs());
    const series = [uidOf(object), type, reason, message, component, host ?? "", fieldPath ?? ""].join("\n");
    const digits = [series, `2${series}`].map((text) => hashText(text).toString(16).padStart(8, "0")).join("");
    const resourceVersion = textAt(object, "metadata", "resourceVersion");
    return {
      metadata: {
        name: `${nameOf(object).slice(0, maxSubjectLength)}.${digits}`,
        namespace: namespace === "" ? "default" : namespace,
      },
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
