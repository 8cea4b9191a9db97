// SPDX-License-Identifier: Apache-2.0
// What a tab and the worker that holds the stream say to each other. Both come from one build, so there are no versions.
import type { HubTime } from "../time/hub-clock.ts";
import type { HubHop, ViewRefusal, ViewWish } from "./link.ts";

/** From a tab. `number` is the tab's own for a subscription. */
export type TabMessage =
  | { readonly kind: "hello"; readonly lockName: string }
  | { readonly kind: "subscribe"; readonly number: number; readonly wish: ViewWish }
  | { readonly kind: "unsubscribe"; readonly number: number }
  /** An update was taken, so that another may come. */
  | { readonly kind: "taken"; readonly number: number }
  | { readonly kind: "wake" }
  | { readonly kind: "bye" };

/** To a tab. Times of the local clock are ages, because a worker's clock starts at another moment than a tab's. */
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

/** The part of a MessagePort that is used. */
export interface Port<In, Out> {
  postMessage(message: Out): void;
  listen(listener: (message: In) => void): void;
  close(): void;
}

/** A MessagePort of the browser as a Port of known messages: both ends are ours. */
export function toPort<In, Out>(port: MessagePort): Port<In, Out> {
  return {
    postMessage: (message) => port.postMessage(message),
    listen: (listener) => {
      port.onmessage = (event: MessageEvent<In>) => listener(event.data);
    },
    close: () => port.close(),
  };
}
