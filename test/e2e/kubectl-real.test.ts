// SPDX-License-Identifier: Apache-2.0
// The transcripts are what a real Kubernetes answers, not only what ours does.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOnKit } from "../kubernetes/describe-on-kit.ts";
import { type KubernetesCluster, startCluster } from "../kubernetes/start-cluster.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { playTranscript } from "./kubectl/play-transcript.ts";
import { prepareTranscript, readTranscript, transcriptNames } from "./kubectl/prepare-transcript.ts";
import type { KubectlServer } from "./kubectl/run-kubectl.ts";

/** A transcript takes half a minute where nothing else runs. */
const limitMs = 240_000;

describeOnKit("kubectl", ["controllers", "kwok"], (kit) => {
  let cluster: KubernetesCluster;
  let server: KubectlServer;

  beforeAll(async () => {
    cluster = await startCluster({ kit, users: [{ name: "alice" }], controllers: true, kwok: true });
    const tokens = new Map(["admin", "alice"].map((name) => [name, cluster.tokenOf(name)]));
    server = { url: cluster.url, ca: readFileSync(cluster.caFile, "utf8"), tokens };
  });

  // Transcripts that begin together would all define widgets.
  beforeAll(async () => {
    using folder = openTempFolder();
    await prepareTranscript("first", { kubectl: { label: "kit", path: kit.kubectl }, server, folder: folder.path });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  test.concurrent.each([...transcriptNames])(
    "%s prints what the transcript says",
    async (name) => {
      using folder = openTempFolder();
      const kubectl = { label: "kit", path: kit.kubectl };
      const runner = await prepareTranscript(name, { kubectl, server, folder: folder.path });
      const mismatches = await playTranscript(runner, readTranscript(name), { label: "kit", isReal: true });
      expect(mismatches.join("\n\n")).toBe("");
    },
    limitMs,
  );
});
