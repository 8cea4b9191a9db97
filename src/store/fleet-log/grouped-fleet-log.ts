// SPDX-License-Identifier: Apache-2.0
// Group commit for the fleet log (FL11): one disk sync serves all pending calls, regardless of the number of agents.
import { FlotillaError } from "../../base/error.ts";
import type {
  AppendOutcome,
  FleetLogEngine,
  Flush,
  FollowPage,
  FollowRequest,
  LoadPage,
  LoadRequest,
  LoggedResource,
  LogPlace,
  LogProgress,
  PlacesRequest,
  RaiseOutcome,
} from "./fleet-log.ts";

/**
 * The limit on calls in one transaction. As for the hub's own store (ST8), a larger group only increases the latency.
 */
const groupCount = 256;

/** The limit on bytes written or read in one transaction. It keeps the transaction within milliseconds. */
const groupBytes = 8 * 1024 * 1024;

/** A log whose calls can share a transaction. */
export interface GroupableLog extends FleetLogEngine {
  /**
   * Runs `work` in one transaction that includes its calls of this log. Durable on return; rolled back if it throws.
   */
  together<Result>(work: () => Result): Result;
}

interface Waiting {
  readonly run: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "refused"; readonly reason: unknown };

/**
 * A FlotillaError is thrown before anything is written, so it fails only this call. Any other error ends the
 * transaction.
 */
function runAlone({ run }: Waiting): Outcome {
  try {
    return { kind: "done", value: run() };
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return { kind: "refused", reason };
  }
}

/**
 * A fleet log that groups the calls of one turn. Each call sees the effects of those before it, all become durable in
 * one step, and only then are they answered. `later` runs a function after all calls that have arrived were queued. A
 * call that fills the group triggers the write at once, which bounds the queue.
 */
export class GroupedFleetLog implements FleetLogEngine {
  readonly #log: GroupableLog;
  readonly #later: (run: () => void) => void;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isDue = false;

  constructor(log: GroupableLog, later: (run: () => void) => void) {
    this.#log = log;
    this.#later = later;
  }

  append(flush: Flush): Promise<AppendOutcome> {
    const sizeBytes = flush.parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return this.#join(() => this.#log.append(flush), sizeBytes);
  }

  raiseEpoch(cluster: string, shard: string, epoch: number): Promise<RaiseOutcome> {
    return this.#join(() => this.#log.raiseEpoch(cluster, shard, epoch));
  }

  progress(cluster: string, shard: string): Promise<LogProgress | undefined> {
    return this.#read(() => this.#log.progress(cluster, shard));
  }

  resources(): Promise<readonly LoggedResource[]> {
    return this.#read(() => this.#log.resources());
  }

  load(request: LoadRequest): Promise<LoadPage> {
    return this.#read(() => this.#log.load(request), request.bytesLimit);
  }

  places(request: PlacesRequest): Promise<readonly LogPlace[]> {
    return this.#read(() => this.#log.places(request));
  }

  headPosition(): Promise<number> {
    return this.#read(() => this.#log.headPosition());
  }

  follow(request: FollowRequest): Promise<FollowPage> {
    return this.#read(() => this.#log.follow(request), request.bytesLimit);
  }

  beginCheckpoint(cluster: string, resource: string, position: number): Promise<number> {
    return this.#join(() => this.#log.beginCheckpoint(cluster, resource, position));
  }

  addCheckpointPiece(checkpoint: number, bytes: Uint8Array): Promise<void> {
    return this.#join(() => this.#log.addCheckpointPiece(checkpoint, bytes), bytes.length);
  }

  completeCheckpoint(checkpoint: number): Promise<void> {
    return this.#join(() => this.#log.completeCheckpoint(checkpoint));
  }

  retain(beforeMs: number): Promise<{ readonly removed: number; readonly more: boolean }> {
    return this.#join(() => this.#log.retain(beforeMs));
  }

  removeCluster(cluster: string): Promise<{ readonly more: boolean }> {
    return this.#join(() => this.#log.removeCluster(cluster));
  }

  /** Writes the queue first. */
  close(): ReturnType<FleetLogEngine["close"]> {
    this.#write();
    return this.#log.close();
  }

  /** Reads run immediately unless calls are queued, which they must not overtake. */
  async #read<Result>(run: () => Result | Promise<Result>, sizeBytes = 0): Promise<Result> {
    return this.#waiting.length === 0 ? run() : this.#join(run, sizeBytes);
  }

  #join<Result>(run: () => Result | Promise<Result>, sizeBytes = 0): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ run, resolve: (value) => resolve(value as Result), reject });
    this.#waitingBytes += sizeBytes;
    if (this.#waiting.length >= groupCount || this.#waitingBytes >= groupBytes) this.#write();
    else if (!this.#isDue) {
      this.#isDue = true;
      this.#later(() => {
        this.#isDue = false;
        this.#write();
      });
    }
    return promise;
  }

  #write(): void {
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      const outcomes = this.#log.together(() => group.map(runAlone));
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.kind === "done") group[at]?.resolve(outcome.value);
        else group[at]?.reject(outcome.reason);
      }
    } catch (reason) {
      for (const { reject } of group) reject(reason);
    }
  }
}
