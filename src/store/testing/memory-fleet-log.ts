// SPDX-License-Identifier: Apache-2.0
// The fleet log in memory, for tests and simulations.
import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/time/clock.ts";
import { compareUtf8 } from "../../model/text.ts";
import {
  type AppendOutcome,
  type FleetLogEngine,
  type Flush,
  type FollowPage,
  type FollowRequest,
  type LoadedSegment,
  type LoadPage,
  type LoadRequest,
  type LoggedResource,
  type LoggedStep,
  type LogPlace,
  type LogProgress,
  type PlacesRequest,
  type RaiseOutcome,
} from "../fleet-log/fleet-log.ts";
import {
  assertAppended,
  assertFollowable,
  assertPieceSize,
  decideAppend,
  decideRaise,
  goneBefore,
  noCheckpoint,
} from "../fleet-log/fleet-log-rules.ts";

interface Checkpoint {
  readonly id: number;
  readonly position: number;
  readonly receivedAtMs: number;
  readonly pieces: Uint8Array[];
  completed: boolean;
}

interface History {
  readonly cluster: string;
  readonly resource: string;
  segments: LoadedSegment[];
  checkpoints: Checkpoint[];
  earliestMs: number;
}

/** A fleet log without durability. */
export class MemoryFleetLog implements FleetLogEngine {
  readonly #clock: Clock;
  readonly #progress = new Map<string, LogProgress>();
  readonly #histories = new Map<string, History>();
  /** The steps of all clusters after `#followHorizon`, in commit order. */
  #steps: LoggedStep[] = [];
  #followHorizon = 0;
  #position = 0;
  #checkpointId = 0;

  constructor(options: { readonly clock: Clock }) {
    this.#clock = options.clock;
  }

  append(flush: Flush): AppendOutcome {
    const session = sessionKey(flush.cluster, flush.shard);
    const decided = decideAppend(this.#progress.get(session), flush);
    if (decided.kind !== "append") return decided;
    const receivedAtMs = Math.max(this.#clock.wallMs(), this.#newestMs(flush.cluster));
    for (const { resource, form, bytes } of flush.parts) {
      this.#position += 1;
      this.#history(flush.cluster, resource).segments.push({ position: this.#position, form, receivedAtMs, bytes });
    }
    const { cluster, incarnation, seq, parts } = flush;
    if (parts.length > 0)
      this.#steps.push({ kind: "flush", position: this.#position, cluster, incarnation, seq, receivedAtMs, parts });
    this.#progress.set(session, { epoch: flush.epoch, incarnation: flush.incarnation, seq: flush.seq, receivedAtMs });
    return { kind: "appended", receivedAtMs, position: this.#position };
  }

  raiseEpoch(cluster: string, shard: string, epoch: number): RaiseOutcome {
    const session = sessionKey(cluster, shard);
    const outcome = decideRaise(this.#progress.get(session), epoch);
    if (outcome.kind === "raised") this.#progress.set(session, outcome.durable);
    return outcome;
  }

  progress(cluster: string, shard: string): LogProgress | undefined {
    return this.#progress.get(sessionKey(cluster, shard));
  }

  resources(): readonly LoggedResource[] {
    return [...this.#histories.values()]
      .filter(({ segments, checkpoints }) => segments.length > 0 || checkpoints.some(({ completed }) => completed))
      .map(({ cluster, resource }) => ({ cluster, resource }));
  }

  load(request: LoadRequest): LoadPage {
    const history = this.#history(request.cluster, request.resource);
    const asOfMs = request.asOfMs ?? Number.POSITIVE_INFINITY;
    const { after, from, upTo = Number.POSITIVE_INFINITY } = request;
    if (Math.min(asOfMs, from?.receivedAtMs ?? asOfMs) < history.earliestMs) throw goneBefore(history.earliestMs);
    const base =
      from !== undefined
        ? undefined
        : after === undefined
          ? newestBefore(history, asOfMs, upTo)
          : history.checkpoints.find(({ id }) => id === after.checkpoint);
    // A load that began without a checkpoint is incomplete once retention has removed segments.
    const isCut = from === undefined && (after !== undefined || request.upTo !== undefined);
    if (isCut && base === undefined && ((after?.checkpoint ?? 0) !== 0 || history.earliestMs > 0))
      throw goneBefore(history.earliestMs);
    const start = after ?? { checkpoint: base?.id ?? 0, piece: -1, position: base?.position ?? from?.position ?? 0 };
    const pieces = (base?.pieces ?? []).map((bytes, piece): LoadedSegment => {
      return {
        position: base?.position ?? 0,
        form: { kind: "checkpoint", piece },
        receivedAtMs: base?.receivedAtMs ?? 0,
        bytes,
      };
    });
    const wanted = [
      ...pieces.slice(start.piece + 1),
      ...history.segments.filter(
        ({ position, receivedAtMs }) => position > start.position && position <= upTo && receivedAtMs <= asOfMs,
      ),
    ];
    return pageOf(wanted, request.bytesLimit, start);
  }

  places({ cluster, atMs, resources }: PlacesRequest): readonly LogPlace[] {
    return this.resources()
      .filter((logged) => logged.cluster === cluster && (resources?.includes(logged.resource) ?? true))
      .map(({ resource }) => {
        const history = this.#history(cluster, resource);
        const { segments, earliestMs } = history;
        const newest = [newestBefore(history, atMs), segments.findLast(({ receivedAtMs }) => receivedAtMs <= atMs)]
          .filter((each) => each !== undefined)
          .toSorted((a, b) => a.position - b.position)
          .at(-1);
        return { resource, position: newest?.position ?? 0, receivedAtMs: newest?.receivedAtMs ?? 0, earliestMs };
      })
      .sort((a, b) => compareUtf8(a.resource, b.resource));
  }

  headPosition(): number {
    return this.#position;
  }

  follow({ after, bytesLimit }: FollowRequest): FollowPage {
    assertFollowable(after, this.#followHorizon, this.#position);
    const behind = this.#steps.filter(({ position }) => position > after);
    let bytes = 0;
    const end = behind.findIndex((step) => {
      if (step.kind === "flush") for (const part of step.parts) bytes += part.bytes.length;
      return bytes >= bytesLimit;
    });
    const steps = end === -1 ? behind : behind.slice(0, end + 1);
    const position = steps.length === behind.length ? this.#position : (steps.at(-1)?.position ?? after);
    return { steps, position, headPosition: this.#position };
  }

  beginCheckpoint(cluster: string, resource: string, position: number): number {
    assertAppended(position, this.#position);
    const history = this.#history(cluster, resource);
    const covered = history.segments.findLast((segment) => segment.position <= position);
    const receivedAtMs = covered?.receivedAtMs ?? newestBefore(history, Number.POSITIVE_INFINITY)?.receivedAtMs ?? 0;
    this.#checkpointId += 1;
    history.checkpoints.push({ id: this.#checkpointId, position, receivedAtMs, pieces: [], completed: false });
    return this.#checkpointId;
  }

  addCheckpointPiece(checkpoint: number, bytes: Uint8Array): void {
    assertPieceSize(bytes);
    this.#checkpoint(checkpoint).pieces.push(bytes);
  }

  completeCheckpoint(checkpoint: number): void {
    this.#checkpoint(checkpoint).completed = true;
  }

  retain(beforeMs: number): { readonly removed: number; readonly more: boolean } {
    let removed = 0;
    for (const history of this.#histories.values()) {
      const base = newestBefore(history, beforeMs);
      if (base === undefined) continue;
      const segments = history.segments.filter(({ position }) => position > base.position);
      const checkpoints = history.checkpoints.filter(
        ({ position, id, completed }) => position > base.position || id === base.id || !completed,
      );
      if (segments.length < history.segments.length) this.#followHorizon = Math.max(this.#followHorizon, base.position);
      removed += history.segments.length - segments.length + history.checkpoints.length - checkpoints.length;
      history.segments = segments;
      history.checkpoints = checkpoints;
      history.earliestMs = base.receivedAtMs;
    }
    this.#steps = this.#steps.filter(({ position }) => position > this.#followHorizon);
    return { removed, more: false };
  }

  removeCluster(cluster: string): { readonly more: boolean } {
    this.#position += 1;
    this.#steps = this.#steps.filter((step) => step.cluster !== cluster);
    this.#steps.push({ kind: "removed", position: this.#position, cluster });
    for (const [id, history] of this.#histories) if (history.cluster === cluster) this.#histories.delete(id);
    for (const [session, progress] of this.#progress) {
      if (session.startsWith(sessionKey(cluster, "")))
        this.#progress.set(session, { ...progress, incarnation: "", seq: 0 });
    }
    return { more: false };
  }

  close(): void {
    this.#histories.clear();
  }

  #newestMs(cluster: string): number {
    const own = [...this.#progress].filter(([session]) => session.startsWith(sessionKey(cluster, "")));
    return Math.max(0, ...own.map(([, progress]) => progress.receivedAtMs));
  }

  #history(cluster: string, resource: string): History {
    const id = `${cluster}\u001f${resource}`;
    const history = this.#histories.get(id) ?? { cluster, resource, segments: [], checkpoints: [], earliestMs: 0 };
    this.#histories.set(id, history);
    return history;
  }

  #checkpoint(id: number): Checkpoint {
    for (const { checkpoints } of this.#histories.values()) {
      const found = checkpoints.find((checkpoint) => checkpoint.id === id && !checkpoint.completed);
      if (found !== undefined) return found;
    }
    throw noCheckpoint(id);
  }
}

function sessionKey(cluster: string, shard: string): string {
  return `${cluster}\u001f${shard}`;
}

function newestBefore(history: History, ms: number, upTo = Number.POSITIVE_INFINITY): Checkpoint | undefined {
  const usable = history.checkpoints.filter(
    ({ completed, receivedAtMs, position }) => completed && receivedAtMs <= ms && position <= upTo,
  );
  return usable.toSorted((a, b) => a.position - b.position || a.id - b.id).at(-1);
}

function pageOf(
  wanted: readonly LoadedSegment[],
  bytesLimit: number,
  start: { checkpoint: number; piece: number; position: number },
): LoadPage {
  let bytes = 0;
  const end = wanted.findIndex((segment) => {
    bytes += segment.bytes.length;
    return bytes >= bytesLimit;
  });
  if (end === -1 || end === wanted.length - 1) return { segments: wanted };
  const segments = wanted.slice(0, end + 1);
  const last = segments.at(-1);
  assert(last !== undefined, "a page with a next one has a last segment");
  return {
    segments,
    next:
      last.form.kind === "checkpoint"
        ? { ...start, piece: last.form.piece }
        : { checkpoint: start.checkpoint, piece: Number.MAX_SAFE_INTEGER - 1, position: last.position },
  };
}
