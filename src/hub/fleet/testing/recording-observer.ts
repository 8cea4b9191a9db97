// SPDX-License-Identifier: Apache-2.0
import type { TunnelFailure } from "../../../session/tunnel/tunnel.ts";
import type {
  ComparisonFacts,
  HeartbeatFacts,
  KindFacts,
  ObservedEnding,
  RejectionFacts,
  SessionFacts,
  SessionHandlers,
} from "../../sessions/session-events.ts";

/** Records the events of sessions. */
export class RecordingObserver {
  readonly beginnings: SessionFacts[] = [];
  readonly endings: { readonly session: SessionFacts; readonly ending: ObservedEnding; readonly nowMs: number }[] = [];
  readonly rejections: RejectionFacts[] = [];
  readonly heartbeats: HeartbeatFacts[] = [];
  readonly statuses: KindFacts[] = [];
  readonly comparisons: ComparisonFacts[] = [];
  readonly flushes: { readonly cluster: string; readonly seq: number; readonly collectedMsAgo: number }[] = [];
  readonly positions: number[] = [];
  receivedBytes = 0;
  receivedObjectCount = 0;
  readonly tunnelFailures: (TunnelFailure & Pick<SessionFacts, "cluster" | "epoch">)[] = [];

  readonly handlers: SessionHandlers = {
    began: ({ session }) => void this.beginnings.push(session),
    ended: ({ session, ending, nowMs }) => void this.endings.push({ session, ending, nowMs }),
    rejected: ({ attempt }) => void this.rejections.push(attempt),
    heartbeat: ({ heartbeat }) => void this.heartbeats.push(heartbeat),
    kindStatuses: ({ kinds }) => void this.statuses.push(...kinds),
    compared: ({ comparison }) => void this.comparisons.push(comparison),
    applied: ({ session: { cluster }, flush: { seq, collectedMsAgo } }) =>
      void this.flushes.push({ cluster, seq, collectedMsAgo }),
    received: ({ received: { bytes, objectCount } }) => {
      this.receivedBytes += bytes;
      this.receivedObjectCount += objectCount;
    },
    queued: ({ position }) => void this.positions.push(position),
    tunnelsFailed: ({ session: { cluster, epoch }, failures }) => {
      for (const { tunnelId, error } of failures) this.tunnelFailures.push({ cluster, epoch, tunnelId, error });
    },
  };
}
