// SPDX-License-Identifier: Apache-2.0

/**
 * The size of the log segments that a load of one (cluster, resource) reads after its newest checkpoint, and the size
 * of that checkpoint.
 */
export interface LogSize {
  readonly cluster: string;
  readonly resource: string;
  readonly segmentCount: number;
  readonly segmentBytes: number;
  readonly checkpointBytes: number;
}

function keyOf(cluster: string, resource: string): string {
  return `${cluster} ${resource}`;
}

/** Counts the appends since the newest checkpoints, to decide where a new checkpoint is due. */
export class LogSizes {
  readonly #sizes = new Map<string, LogSize>();

  /** Counts a segment that was appended or loaded. */
  add(cluster: string, resource: string, bytes: number): void {
    const known = this.get(cluster, resource);
    const segmentCount = known.segmentCount + 1;
    this.#set({ ...known, segmentCount, segmentBytes: known.segmentBytes + bytes });
  }

  /** Records a checkpoint of this size. Segments that were appended during its write are still counted. */
  checkpointed(
    cluster: string,
    resource: string,
    checkpointBytes: number,
    covered: Pick<LogSize, "segmentCount" | "segmentBytes">,
  ): void {
    const known = this.get(cluster, resource);
    this.#set({
      ...known,
      segmentCount: known.segmentCount - covered.segmentCount,
      segmentBytes: known.segmentBytes - covered.segmentBytes,
      checkpointBytes,
    });
  }

  get(cluster: string, resource: string): LogSize {
    const none: LogSize = { cluster, resource, segmentCount: 0, segmentBytes: 0, checkpointBytes: 0 };
    return this.#sizes.get(keyOf(cluster, resource)) ?? none;
  }

  list(): readonly LogSize[] {
    return [...this.#sizes.values()];
  }

  removeCluster(cluster: string): void {
    for (const [key, size] of this.#sizes) if (size.cluster === cluster) this.#sizes.delete(key);
  }

  #set(size: LogSize): void {
    this.#sizes.set(keyOf(size.cluster, size.resource), size);
  }
}
