// SPDX-License-Identifier: Apache-2.0

/** What brings a viewer to the present. */
export interface ViewUpdate {
  /** To go on from afterwards. */
  readonly position: string;
  /** It replaces what was shown. */
  readonly isSnapshot: boolean;
  /** An encoded FleetUpdate, ClusterUpdate or ChangesUpdate; shared by all who get the same. */
  readonly bytes: Uint8Array;
}

/** The names of views in metrics. */
export type ViewName = "fleet" | "cluster" | "changes";

/** One subscription's way through a view. */
export interface ViewReader {
  readonly view: ViewName;
  /**
   * What changed since it was last asked; undefined for nothing. Asked again only when the answer was taken. Throws a FlotillaError where the view is not
   * there for this viewer, or no longer.
   */
  next(): Promise<ViewUpdate | undefined> | ViewUpdate | undefined;
  close(): void;
}

/** A position of a view of this run of the hub: which variant of it, and up to which step. */
export interface ViewPosition {
  readonly variant: string;
  readonly step: number;
}

/** The text of a position. */
export function positionText(runId: string, { variant, step }: ViewPosition): string {
  return `${runId}.${variant}.${step}`;
}

/** Undefined for what cannot be gone on from: another run's, or no position at all. */
export function parsePosition(runId: string, text: string): ViewPosition | undefined {
  const [, run, variant, digits] = /^([^.]{1,64})\.([0-9a-z]{1,16})\.(\d{1,15})$/.exec(text) ?? [];
  if (run !== runId || variant === undefined) return undefined;
  return { variant, step: Number(digits) };
}
