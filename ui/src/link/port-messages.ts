// SPDX-License-Identifier: Apache-2.0
// Messages between a tab and the worker that holds the stream. Both come from one build, so there are no versions.
import type { HubTime } from "../time/hub-clock.ts";
import type { HubHop, ViewRefusal, ViewRequest } from "./link.ts";

/** From a tab. `number` identifies a subscription within the tab. */
export type TabMessage =
  | { readonly kind: "hello"; readonly lockName: string }
  | { readonly kind: "subscribe"; readonly number: number; readonly request: ViewRequest }
  | { readonly kind: "unsubscribe"; readonly number: number }
  /** An update was consumed: acknowledges it. */
  | { readonly kind: "taken"; readonly number: number }
  | { readonly kind: "wake" }
  | { readonly kind: "bye" };

/** To a tab. `workerNowMs` lets the tab convert times: the clocks of worker and tab have different origins. */
export type WorkerMessage =
  | { readonly kind: "hop"; readonly hop: HubHop; readonly workerNowMs: number }
  | { readonly kind: "time"; readonly time: HubTime }
  | {
      readonly kind: "update";
      readonly number: number;
      readonly bytes: Uint8Array;
      readonly isSnapshot: boolean;
      readonly time: HubTime;
    }
  | { readonly kind: "refused"; readonly number: number; readonly refusal: ViewRefusal };

/** The used part of a MessagePort. */
export interface LinkPort<In, Out> {
  postMessage(message: Out): void;
  listen(listener: (message: In) => void): void;
  close(): void;
}

/** Wraps a browser's MessagePort with known message types; both ends are ours. */
export function toPort<In, Out>(port: MessagePort): LinkPort<In, Out> {
  return {
    postMessage: (message) => port.postMessage(message),
    listen: (listener) => {
      port.onmessage = (event: MessageEvent<In>) => listener(event.data);
    },
    close: () => port.close(),
  };
}
