// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort, throwIfAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import { KubeError } from "../kube-error.ts";
import { type KubeRequest, serverWallMsOf } from "../kube-source.ts";
import { followedText, resourcePath } from "./kube-resource-path.ts";
import type { EmitEvent } from "./list-once.ts";
import type { ReflectorOptions } from "./reflector-options.ts";
import { SilenceTimer } from "./silence-timer.ts";
import { type Line, splitLines } from "./split-lines.ts";
import { type Bookmark, parseWatchEvent, type WatchedChange } from "./watch-event.ts";

/**
 * The requested duration of a watch: 5 to 10 minutes, random, so that watches that began together do not end together
 * (KU13).
 */
const shortestWatchSeconds = 300;
const watchSpreadSeconds = 300;

/** The shortest interval between two `current` events while events arrive. Every bookmark emits one too. */
const currentEveryMs = 1_000;

/**
 * A resumed watch that was answered and sends nothing for this long has nothing to send: missed events, or an expired
 * position, arrive at once.
 */
const quietStartMs = 1_000;

/**
 * After this share of the silence limit a quiet start does not count as current, and a list follows (KU10). The rest of
 * the limit is longer than the interval of bookmarks.
 */
const trustedShare = 0.5;

/** The start of a watch: after a resourceVersion, or with all existing objects (KU11). */
export type WatchFrom = { readonly resourceVersion: string } | "everything";

/** The result of a watch. */
export interface WatchEnd {
  /** The position at which the next watch resumes; undefined until the list is complete. */
  readonly resourceVersion: string | undefined;
  /** The time from the response head to the end; undefined without a response. */
  readonly stoodMs: number | undefined;
  /** The time of the last event or bookmark after which a watch can resume; undefined if there was none. */
  readonly heardAtMs: number | undefined;
  /** Undefined: the server ended the watch without an error, or it was aborted for a list. */
  readonly error: KubeError | undefined;
  readonly isRelistDue: boolean;
  /** The server ended the watch without an error, but before the requested duration. */
  readonly isEarly: boolean;
}

function watchRequest(options: ReflectorOptions, from: WatchFrom, timeoutSeconds: number): KubeRequest {
  const { fieldSelector, settings } = options;
  return {
    method: "GET",
    path: resourcePath(options),
    query: {
      watch: "true",
      allowWatchBookmarks: "true",
      timeoutSeconds: String(timeoutSeconds),
      ...(from === "everything"
        ? { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }
        : { resourceVersion: from.resourceVersion }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    },
    headers: { accept: "application/json" },
    deadlineMs: settings.requestTimeoutMs,
    isWatch: true,
  };
}

/** Processes the lines of one watch. */
class WatchLines {
  readonly #options: ReflectorOptions;
  readonly #emit: EmitEvent;
  readonly #what: string;
  /**
   * The position to resume from. Undefined during the initial events of a WatchList, which are not in an order that can
   * be resumed.
   */
  resourceVersion: string | undefined;
  heardAtMs: number | undefined;
  /** The server's time in the response head. It applies only to the initial events of a WatchList. */
  serverWallMs: number | undefined;
  #objectCount = 0;
  #byteCount = 0;
  #currentAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ReflectorOptions, from: WatchFrom, emit: EmitEvent) {
    this.#options = options;
    this.#emit = emit;
    this.#what = followedText(options);
    this.resourceVersion = from === "everything" ? undefined : from.resourceVersion;
  }

  /** Returns a promise if the receiver must be awaited. */
  takeLine(line: Line): Promise<void> | undefined {
    if (line.kind === "tooLong") return this.#skip(line.byteCount);
    const event = parseWatchEvent(line.bytes, `the watch of ${this.#what}`, this.#options.strip);
    this.#byteCount += line.bytes.length;
    const taken = event.kind === "bookmark" ? this.#takeBookmark(event) : this.#takeObject(event);
    return taken === undefined ? this.#noteHeard(event) : taken.then(() => this.#noteHeard(event));
  }

  #skip(byteCount: number): Promise<void> | undefined {
    const { maxObjectBytes } = this.#options.settings;
    const text = `an object of ${this.#what} has about ${byteCount} bytes, over the ${maxObjectBytes} of --max-object-size, and is left out`;
    return this.#emit({ kind: "skipped", error: new KubeError("malformed", text) });
  }

  /** The receiver has processed the event, so the watch can resume after it. */
  #noteHeard({ kind, resourceVersion }: WatchedChange | Bookmark): Promise<void> | undefined {
    if (this.resourceVersion === undefined) return undefined;
    this.resourceVersion = resourceVersion;
    const nowMs = this.#options.clock.nowMs();
    this.heardAtMs = nowMs;
    if (kind !== "bookmark" && nowMs - this.#currentAtMs < currentEveryMs) return undefined;
    this.#currentAtMs = nowMs;
    return this.#emit({ kind: "current", mode: "watch" });
  }

  #takeBookmark({ resourceVersion, endsInitialEvents }: Bookmark): Promise<void> | undefined {
    if (this.resourceVersion !== undefined || !endsInitialEvents) return undefined;
    const taken = this.#emit({ kind: "listed", objectCount: this.#objectCount, byteCount: this.#byteCount });
    const resume = (): void => {
      this.resourceVersion = resourceVersion;
    };
    if (taken !== undefined) return taken.then(resume);
    resume();
    return undefined;
  }

  #takeObject({ kind, object, identity }: WatchedChange): Promise<void> | undefined {
    if (kind === "object") this.#objectCount += 1;
    const isInitial = kind === "object" && this.resourceVersion === undefined;
    return this.#emit(
      isInitial ? { kind, object, identity, serverWallMs: this.serverWallMs } : { kind, object, identity },
    );
  }
}

/** Ends a watch because a list is due. Not a failure. */
class RelistDue extends Error {
  override readonly name = "RelistDue";
}

/** The signal of one watch. It also ends the watch on silence, or when a list is due. */
class WatchSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #undo: (() => void)[] = [];
  readonly silence: SilenceTimer;

  constructor(options: ReflectorOptions, relistInMs: number | undefined, parent: AbortSignal) {
    const { clock, settings } = options;
    const { watchSilenceMs } = settings;
    this.#undo.push(onAbort(parent, () => this.#controller.abort(parent.reason)));
    this.silence = new SilenceTimer(clock, watchSilenceMs, () => {
      const text = `the watch of ${followedText(options)} was silent for ${watchSilenceMs} ms`;
      this.#controller.abort(new KubeError("timeout", text));
    });
    if (relistInMs === undefined) return;
    this.#undo.push(clock.setTimer(relistInMs, () => this.#controller.abort(new RelistDue("a list is due"))));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isRelistDue(): boolean {
    return this.signal.reason instanceof RelistDue;
  }

  [Symbol.dispose](): void {
    this.silence[Symbol.dispose]();
    for (const undo of this.#undo) undo();
    this.leave();
  }

  /** Releases a response whose body was not read to its end. A pending read fails. */
  leave(): void {
    this.#controller.abort(new Error("the watch has ended"));
  }
}

/** The arguments of one watch in addition to the reflector's options. */
export interface WatchCall {
  readonly from: WatchFrom;
  readonly emit: EmitEvent;
  /** The time of the resource's last event, bookmark or end of a list. Silence counts from then (KU13). */
  readonly heardAtMs: number;
  /** Ends the watch after this time for a list. */
  readonly relistInMs: number | undefined;
}

/**
 * Watches until the server ends the watch, it fails, it falls silent (KU13, as `timeout`) or a list is due, and emits
 * the events. Throws only the signal's reason and errors of `emit`. Each event is held until the receiver has processed
 * it; nothing is read meanwhile (KU15).
 */
export async function watchOnce(options: ReflectorOptions, call: WatchCall, signal: AbortSignal): Promise<WatchEnd> {
  const { source, clock, random, settings } = options;
  const timeoutSeconds = shortestWatchSeconds + random.int(watchSpreadSeconds + 1);
  const lines = new WatchLines(options, call.from, call.emit);
  let openedAtMs: number | undefined;
  const endWith = (error: KubeError | undefined, isRelistDue: boolean): WatchEnd => {
    const { resourceVersion, heardAtMs } = lines;
    const stoodMs = openedAtMs === undefined ? undefined : clock.nowMs() - openedAtMs;
    const isEarly = error === undefined && !isRelistDue && (stoodMs ?? 0) < (timeoutSeconds - 1) * 1_000;
    return { resourceVersion, stoodMs, heardAtMs, error, isRelistDue, isEarly };
  };
  using watching = new WatchSignal(options, call.relistInMs, signal);
  try {
    const answer = await source.request(watchRequest(options, call.from, timeoutSeconds), watching.signal);
    openedAtMs = clock.nowMs();
    lines.serverWallMs = serverWallMsOf(answer);
    const isResumed = call.from !== "everything";
    const silentMs = isResumed ? openedAtMs - call.heardAtMs : 0;
    const isQuietTrusted = silentMs < settings.watchSilenceMs * trustedShare;
    if (!isResumed) await call.emit({ kind: "listing" });
    watching.silence.listen(isQuietTrusted ? silentMs : 0);
    const received = splitLines(answer.body, settings.maxObjectBytes);
    for await (const some of isResumed ? markQuietStart(received, clock, watching) : received) {
      watching.silence.heard();
      if (some !== "quiet") {
        for (const line of some) {
          // Also checked after silence has ended the watch: lines that are read late are not processed (KU13).
          throwIfAborted(watching.signal);
          const taken = lines.takeLine(line);
          if (taken !== undefined) await taken;
        }
        watching.silence.listen();
      } else if (isQuietTrusted) {
        await call.emit({ kind: "current", mode: "watch" });
        watching.silence.listen(clock.nowMs() - call.heardAtMs);
      } else return endWith(undefined, true);
    }
    return endWith(undefined, false);
  } catch (reason) {
    if (signal.aborted) throw abortReason(signal);
    if (reason === watching.signal.reason && watching.isRelistDue) return endWith(undefined, true);
    if (reason instanceof KubeError) return endWith(reason, false);
    throw reason;
  }
}

/**
 * Yields the lines. Yields "quiet" first if no line arrives soon. If the consumer stops there, the watch is released: a
 * line may never arrive.
 */
async function* markQuietStart(
  lines: AsyncIterable<readonly Line[]>,
  clock: Clock,
  watching: WatchSignal,
): AsyncGenerator<readonly Line[] | "quiet", void, undefined> {
  const iterator = lines[Symbol.asyncIterator]();
  const quiet = Promise.withResolvers<true>();
  const cancel = clock.setTimer(quietStartMs, () => quiet.resolve(true));
  try {
    const first = iterator.next();
    if (await Promise.race([quiet.promise, first.then(() => false)])) yield "quiet";
    for (let step = await first; step.done !== true; step = await iterator.next()) yield step.value;
  } finally {
    cancel();
    watching.leave();
    await iterator.return?.();
  }
}
