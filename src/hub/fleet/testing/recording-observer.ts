// SPDX-License-Identifier: Apache-2.0
import type { TunnelFailure } from "../../../session/tunnel/tunnel.ts";
import type {
  AppliedFacts,
  ComparisonFacts,
  FleetObserver,
  HeartbeatFacts,
  KindFacts,
  ObservedEnding,
  ReceivedFacts,
  RejectionFacts,
  SessionFacts,
} from "../fleet-observer.ts";

/** Writes down what it is told. */
export class RecordingObserver implements FleetObserver {
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

  began(session: SessionFacts): void {
    this.beginnings.push(session);
  }

  ended(session: SessionFacts, ending: ObservedEnding, nowMs: number): void {
    this.endings.push({ session, ending, nowMs });
  }

  rejected(attempt: RejectionFacts): void {
    this.rejections.push(attempt);
  }

  heartbeat(_session: SessionFacts, heartbeat: HeartbeatFacts): void {
    this.heartbeats.push(heartbeat);
  }

  kindStatuses(_session: SessionFacts, kinds: readonly KindFacts[]): void {
    this.statuses.push(...kinds);
  }

  compared(_session: SessionFacts, comparison: ComparisonFacts): void {
    this.comparisons.push(comparison);
  }

  applied({ cluster }: SessionFacts, { seq, collectedMsAgo }: AppliedFacts): void {
    this.flushes.push({ cluster, seq, collectedMsAgo });
  }

  received(_session: SessionFacts, { bytes, objectCount }: ReceivedFacts): void {
    this.receivedBytes += bytes;
    this.receivedObjectCount += objectCount;
  }

  queued(_session: SessionFacts, position: number): void {
    this.positions.push(position);
  }

  tunnelsFailed({ cluster, epoch }: SessionFacts, failures: readonly TunnelFailure[]): void {
    for (const { tunnelId, error } of failures) this.tunnelFailures.push({ cluster, epoch, tunnelId, error });
  }
}
