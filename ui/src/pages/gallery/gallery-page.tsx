// SPDX-License-Identifier: Apache-2.0
// Every part of the page in all of its states, on samples. Loaded on demand.
import { create } from "@bufbuild/protobuf";
import { type ReactNode, useMemo } from "react";
import {
  FleetClusterSchema,
  HopsSchema,
  StripCode,
  ViewerSchema,
} from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { createFleetStore, PageContext, useTitle } from "../../app/page-context.ts";
import { NoticeOf } from "../../frame/notices.tsx";
import { CopyLine } from "../../parts/copy-line.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { StatusBadge } from "../../parts/status-shape.tsx";
import { Strip } from "../../parts/strip.tsx";
import { createSampleLink } from "../../samples/sample-link.ts";
import type { FleetIncident } from "../../views/fleet-incident.ts";
import { connectionStates } from "../../words/connection-words.ts";
import { objectStatuses } from "../../words/status-words.ts";
import { HopLine } from "../cluster/hop-line.tsx";
import { ClusterTile } from "../fleet/cluster-tile.tsx";
import styles from "./gallery-page.module.css";

/** The hub time of the samples, as in the sample link. */
const nowMs = 10_000_000;

const longName = "a-cluster-whose-name-has-sixty-three-characters-which-is-most-01";

/** The gallery. */
export function GalleryPage(): ReactNode {
  useTitle("Gallery");
  const page = useMemo(() => {
    const link = createSampleLink({ count: 12, lostRegion: "eu-2" });
    const viewer = create(ViewerSchema, { canChangeClusters: true });
    return { link, pageVersion: "", fleet: createFleetStore(link), viewer, reloadViewer: () => undefined };
  }, []);
  return (
    <PageContext value={page}>
      <main className={styles["page"]}>
        <h1>Gallery</h1>
        <Part title="Connection states">
          {connectionStates.map((state) => (
            <StateBadge key={state} state={state} progress={0.6} />
          ))}
          {connectionStates.map((state) => (
            <StateBadge key={state} state={state} isPaused />
          ))}
        </Part>
        <Part title="Statuses of objects">
          {objectStatuses.map((status) => (
            <StatusBadge key={status} status={status} />
          ))}
        </Part>
        <Part title="Tiles">
          {connectionStates.map((state) => (
            <div key={state} className={styles["tile"]}>
              <ClusterTile cluster={sampleTile(`sample-${state.toLowerCase()}`, state)} isChosen={state === "stale"} />
            </div>
          ))}
          <div className={styles["tile"]}>
            <ClusterTile cluster={sampleTile(longName, "disconnected")} isChosen={false} />
          </div>
        </Part>
        <Part title="24 hours">
          <div className={styles["strip"]}>
            <Strip codes={sampleStrip()} />
          </div>
        </Part>
        <Part title="Notices">
          <NoticeOf incident={sampleIncident(["prod-eu-2"])} clusters={new Map()} />
          <NoticeOf
            incident={sampleIncident(Array.from({ length: 60 }, (_, index) => `eu-2-${index}`))}
            clusters={new Map()}
          />
          <NoticeOf
            incident={{
              ...sampleIncident([]),
              number: 3,
              endedMs: BigInt(nowMs + 3_600_000),
              returnedIds: ["prod-eu-2"],
              caughtUpBy: ["resumed"],
            }}
            clusters={new Map()}
          />
        </Part>
        <Part title="Hops">
          <HopLine hops={sampleHops()} />
        </Part>
        <Part title="A command to copy">
          <CopyLine text="flotilla agent manifest --hub https://hub.example:7443 --cluster-id prod | kubectl apply -f -" />
        </Part>
      </main>
    </PageContext>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section>
      <h2>{title}</h2>
      <div className={styles["row"]}>{children}</div>
    </section>
  );
}

function sampleTile(id: string, state: string) {
  return create(FleetClusterSchema, {
    id,
    kubernetesVersion: "v1.36.3",
    connection: { state, sinceMs: BigInt(nowMs - 240_000), seenMs: BigInt(nowMs - 240_000) },
    caughtUpKindCount: 31,
    followedKindCount: 38,
    strip: sampleStrip(),
    objects: { rowCount: 12_480n, unhealthy: [{ kind: "Pod", resource: "pods", count: 3 }] },
  });
}

function sampleStrip(): Uint8Array {
  const cells = new Uint8Array(48).fill(StripCode.LIVE);
  cells.fill(StripCode.NEVER_SEEN, 0, 6);
  cells.fill(StripCode.DISCONNECTED, 20, 22);
  cells.fill(StripCode.STALE, 30, 31);
  cells.fill(StripCode.CATCHING_UP, 22, 23);
  cells.fill(StripCode.REJECTED, 40, 41);
  return cells;
}

function sampleIncident(outIds: readonly string[]): FleetIncident {
  const none = { returnedIds: [], caughtUpBy: [] };
  return {
    number: outIds.length,
    beganMs: BigInt(nowMs - 131_000),
    reasons: ["tcp"],
    regions: ["eu-2"],
    outIds,
    ...none,
  };
}

function sampleHops() {
  return create(HopsSchema, {
    hubToAgent: { state: "ok", facts: ["agent-7f3a at 10.1.4.7:51234"] },
    agentToApiServer: {
      state: "lost",
      sinceMs: BigInt(nowMs - 131_000),
      reason: "tcp",
      sentence: "The API server refuses connections.",
      facts: ["https://10.1.0.1:6443"],
    },
  });
}
