// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import { onAbort } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { OpenResponseSchema, Subscription } from "../../gen/flotilla/page/v1/page_pb.ts";
import { idPrefixes } from "../../model/names.ts";
import type { Caller } from "../../rpc/server/call-context.ts";
import type { LiveViewer, LiveViews } from "./live-views.ts";
import { maxStreamCount } from "./page-limits.ts";
import type { PageMetrics } from "./page-metrics.ts";
import { PageStream } from "./page-stream.ts";

export interface PageStreamsOptions {
  readonly views: LiveViews;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: PageMetrics;
  readonly pageVersion: string;
}

interface OpenStream {
  readonly stream: PageStream;
  readonly viewer: LiveViewer;
}

/** The open streams, by id. */
export class PageStreams {
  readonly #options: PageStreamsOptions;
  readonly #streams = new Map<string, OpenStream>();

  constructor(options: PageStreamsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#streams.size;
  }

  /**
   * Opens a stream for this caller and yields its messages until the signal aborts. Throws OVERLOADED above the limits
   * of PG15, INVALID_ARGUMENT for an invalid subscription.
   */
  async *open(
    { tokenId, subject }: Caller,
    subscriptions: readonly Subscription[],
    signal: AbortSignal,
  ): AsyncGenerator<MessageInitShape<typeof OpenResponseSchema>, void, undefined> {
    const { views, clock, random, metrics, pageVersion } = this.#options;
    const ofToken = [...this.#streams.values()].filter(({ stream }) => stream.tokenId === tokenId);
    if (ofToken.length >= maxStreamCount) {
      const sentence = `a login can have at most ${maxStreamCount} streams; close a tab, or log in again`;
      throw new FlotillaError("OVERLOADED", sentence);
    }
    const streamId = createId(idPrefixes.pageStream, random);
    const stream = new PageStream({ streamId, tokenId, pageVersion, clock, metrics, step: () => views.step });
    const viewer = views.open(subject, () => stream.wake());
    this.#streams.set(streamId, { stream, viewer });
    metrics.setStreams(this.#streams.size);
    // A reader that disconnects while a message is pending never resumes this generator, so `finally` may not run.
    const unlisten = onAbort(signal, () => this.#close(streamId));
    try {
      for (const subscription of subscriptions) subscribe({ stream, viewer }, subscription);
      yield* stream.messages(signal);
    } finally {
      unlisten();
      this.#close(streamId);
    }
  }

  /** Throws the same NOT_FOUND for a stream of another caller as for an unknown one. */
  subscribe(caller: Caller, streamId: string, subscription: Subscription | undefined): void {
    const open = this.#find(caller, streamId);
    if (subscription === undefined) throw new FlotillaError("INVALID_ARGUMENT", "the subscription is missing");
    subscribe(open, subscription);
  }

  unsubscribe(caller: Caller, streamId: string, subscriptionId: number): void {
    this.#find(caller, streamId).stream.unsubscribe(subscriptionId);
  }

  #close(streamId: string): void {
    const open = this.#streams.get(streamId);
    if (open === undefined) return;
    this.#streams.delete(streamId);
    open.stream.close();
    open.viewer.close();
    this.#options.metrics.setStreams(this.#streams.size);
  }

  #find({ tokenId }: Caller, streamId: string): OpenStream {
    const open = this.#streams.get(streamId);
    if (open?.stream.tokenId === tokenId) return open;
    throw new FlotillaError("NOT_FOUND", "you have no such stream; open one");
  }
}

function subscribe({ stream, viewer }: OpenStream, subscription: Subscription): void {
  const { id } = subscription;
  if (id === 0) throw new FlotillaError("INVALID_ARGUMENT", "the id of a subscription must be above 0");
  stream.assertRoom(id);
  stream.subscribe(id, viewer.read(subscription));
}
