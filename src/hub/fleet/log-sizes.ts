// SPDX-License-Identifier: Apache-2.0

/** How much of the fleet log a load of one (cluster, resource) reads behind its newest checkpoint. */
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

/** Keeps count of what has been appended since the newest checkpoints, so that new ones are written where they help. */
export class LogSizes {
  readonly #sizes = new Map<string, LogSize>();

  /** A segment was appended, or met while loading. */
  add(cluster: string, resource: string, bytes: number): void {
    const known = this.get(cluster, resource);
    const segmentCount = known.segmentCount + 1;
    this.#set({ ...known, segmentCount, segmentBytes: known.segmentBytes + bytes });
  }

  /** A checkpoint of that size sums up all but the segments that came while it was written. */
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
