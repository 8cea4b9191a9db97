// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort, throwIfAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeRequest } from "../kube-source.ts";
import { serverWallMsOf } from "./answer-date.ts";
import { followedText, resourcePath } from "./kube-resource-path.ts";
import type { Tell } from "./list-once.ts";
import type { ReflectorOptions } from "./reflector-options.ts";
import { SilenceTimer } from "./silence-timer.ts";
import { type Line, splitLines } from "./split-lines.ts";
import { type Bookmark, parseWatchEvent, type WatchedChange } from "./watch-event.ts";

/** The server is asked to end a watch after 5 to 10 minutes, drawn, so that those begun together do not end together (KU13). */
const shortestWatchSeconds = 300;
const watchSpreadSeconds = 300;

/** While events keep coming, `current` is told at most this often; every bookmark tells it too. */
const currentEveryMs = 1_000;

/** A resumed watch that was answered and sends nothing for so long has nothing to send: what was missed, or that it is gone, comes at once. */
const quietStartMs = 1_000;

/** After this share of the longest silence a quiet start is not believed (KU10). What is left of it is longer than a bookmark takes to come. */
const believedShare = 0.5;

/** Where a watch begins: after a resourceVersion, or with everything there is (KU11). */
export type WatchFrom = { readonly resourceVersion: string } | "everything";

/** How a watch ended, and what it came to before. */
export interface WatchEnd {
  /** Where the next watch resumes; undefined until the list is complete. */
  readonly resourceVersion: string | undefined;
  /** From the head of the answer to its end; undefined where there was no answer. */
  readonly stoodMs: number | undefined;
  /** When an event or a bookmark last came that can be resumed after; undefined where none came. */
  readonly heardAtMs: number | undefined;
  /** Undefined: ended by the server in order, or broken off for a list. */
  readonly error: KubeError | undefined;
  readonly isRelistDue: boolean;
  /** Ended in order, but before the server was asked to. */
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

/** What the lines of one watch come to. */
class WatchLines {
  readonly #options: ReflectorOptions;
  readonly #tell: Tell;
  readonly #what: string;
  /** Where to resume; undefined while the first events of a WatchList come, which are in no order that could be resumed. */
  resourceVersion: string | undefined;
  heardAtMs: number | undefined;
  /** The server's time at the head of the answer. It dates the first events of a WatchList, and nothing that follows. */
  serverWallMs: number | undefined;
  #objectCount = 0;
  #byteCount = 0;
  #currentAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ReflectorOptions, from: WatchFrom, tell: Tell) {
    this.#options = options;
    this.#tell = tell;
    this.#what = followedText(options);
    this.resourceVersion = from === "everything" ? undefined : from.resourceVersion;
  }

  /** Answers a promise where the receiver has to be waited for. */
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
    return this.#tell({ kind: "skipped", error: new KubeError("malformed", text) });
  }

  /** The receiver has taken the event: the watch can be resumed after it. */
  #noteHeard({ kind, resourceVersion }: WatchedChange | Bookmark): Promise<void> | undefined {
    if (this.resourceVersion === undefined) return undefined;
    this.resourceVersion = resourceVersion;
    const nowMs = this.#options.clock.nowMs();
    this.heardAtMs = nowMs;
    if (kind !== "bookmark" && nowMs - this.#currentAtMs < currentEveryMs) return undefined;
    this.#currentAtMs = nowMs;
    return this.#tell({ kind: "current", mode: "watch" });
  }

  #takeBookmark({ resourceVersion, endsInitialEvents }: Bookmark): Promise<void> | undefined {
    if (this.resourceVersion !== undefined || !endsInitialEvents) return undefined;
    const taken = this.#tell({ kind: "listed", objectCount: this.#objectCount, byteCount: this.#byteCount });
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
    return this.#tell(
      isInitial ? { kind, object, identity, serverWallMs: this.serverWallMs } : { kind, object, identity },
    );
  }
}

/** Ends a watch for a list that is due; no failure. */
class RelistDue extends Error {
  override readonly name = "RelistDue";
}

/** The signal of one watch, which also ends it for reasons of its own: silence, or a list that is due. */
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

  /** Lets go of an answer whose body was never read to its end; what is being read of it fails. */
  leave(): void {
    this.#controller.abort(new Error("the watch is over"));
  }
}

/** What one watch is given beside the options of its reflector. */
export interface WatchCall {
  readonly from: WatchFrom;
  readonly tell: Tell;
  /** When the resource was last heard: an event, a bookmark or the end of a list. Silence counts from then (KU13). */
  readonly heardAtMs: number;
  /** Breaks off after that time. */
  readonly relistInMs: number | undefined;
}

/**
 * Watches until the server ends it, it fails, falls silent (KU13, as `timeout`) or a list is due, and tells what comes. Throws only the signal's reason and what `tell`
 * throws. An event is held until the receiver has taken it, and nothing is read meanwhile (KU15).
 */
export async function watchOnce(options: ReflectorOptions, call: WatchCall, signal: AbortSignal): Promise<WatchEnd> {
  const { source, clock, random, settings } = options;
  const timeoutSeconds = shortestWatchSeconds + random.int(watchSpreadSeconds + 1);
  const lines = new WatchLines(options, call.from, call.tell);
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
    const isQuietBelieved = silentMs < settings.watchSilenceMs * believedShare;
    if (!isResumed) await call.tell({ kind: "listing" });
    watching.silence.listen(isQuietBelieved ? silentMs : 0);
    const received = splitLines(answer.body, settings.maxObjectBytes);
    for await (const some of isResumed ? markQuietStart(received, clock, watching) : received) {
      watching.silence.heard();
      if (some !== "quiet") {
        for (const line of some) {
          // Also where silence has ended the watch: what is read late is not taken (KU13).
          throwIfAborted(watching.signal);
          const taken = lines.takeLine(line);
          if (taken !== undefined) await taken;
        }
        watching.silence.listen();
      } else if (isQuietBelieved) {
        await call.tell({ kind: "current", mode: "watch" });
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

/** The same lines; before the first of them "quiet", where it does not come soon. Whoever leaves then leaves the watch: the line may never come. */
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
