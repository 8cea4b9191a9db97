// SPDX-License-Identifier: Apache-2.0

/** An update that brings a viewer up to date. */
export interface ViewUpdate {
  /** The position after this update, to resume from. */
  readonly position: string;
  /** True if it replaces the whole view. */
  readonly isSnapshot: boolean;
  /** An encoded FleetUpdate, ClusterUpdate or ChangesUpdate, shared by all readers of the same update. */
  readonly bytes: Uint8Array;
}

/** The names of views in metrics. */
export type ViewName = "fleet" | "cluster" | "changes";

/** Reads a view for one subscription. */
export interface ViewReader {
  readonly view: ViewName;
  /**
   * Reads the rows that the next update needs; undefined if it needs none. Called again only after the promise is
   * settled. Rejects with a FlotillaError if the subscription is invalid.
   */
  read(): Promise<void> | undefined;
  /**
   * The changes since the last call, with what was read until now; undefined for none. Called again only after the
   * result was sent. Throws a FlotillaError if the viewer may not or no longer see the view.
   */
  next(): ViewUpdate | undefined;
  close(): void;
}

/** A position in a view of this run of the hub: its variant and the last step sent. */
export interface ViewPosition {
  readonly variant: string;
  readonly step: number;
}

/** The text of a position. */
export function positionText(runId: string, { variant, step }: ViewPosition): string {
  return `${runId}.${variant}.${step}`;
}

/** Undefined for a position of another run or a malformed one. */
export function parsePosition(runId: string, text: string): ViewPosition | undefined {
  const [, run, variant, digits] = /^([^.]{1,64})\.([0-9a-z]{1,16})\.(\d{1,15})$/.exec(text) ?? [];
  if (run !== runId || variant === undefined) return undefined;
  return { variant, step: Number(digits) };
}
