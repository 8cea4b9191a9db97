// SPDX-License-Identifier: Apache-2.0
// The kubectls of this machine on our server with simulated controllers. kubectl/transcripts has what is typed and what
// is printed.
import { describe, expect, test } from "vitest";
import { openTempFolder } from "../support/temp-folder.ts";
import { type Choice, chooseKubectls, tellMissing } from "./kubectl/choose-kubectl.ts";
import { playTranscript } from "./kubectl/play-transcript.ts";
import { prepareTranscript, readTranscript, transcriptNames } from "./kubectl/prepare-transcript.ts";
import { startLivingCluster } from "./kubectl/start-living-cluster.ts";

/** A transcript takes half a minute where nothing else runs. */
const limitMs = 240_000;

const byExtent: Record<Choice["extent"], readonly string[]> = {
  whole: transcriptNames,
  core: ["apply", "create", "get", "change"],
  little: ["create"],
};

tellMissing();

describe.each([...chooseKubectls()])("kubectl $kubectl.label on our server ($extent)", ({ kubectl, extent }) => {
  // Most of the time is waiting for controllers.
  describe.concurrent("prints what the transcript says", () => {
    test.each([...byExtent[extent]])(
      "%s",
      async (name) => {
        using folder = openTempFolder();
        await using server = await startLivingCluster();
        const runner = await prepareTranscript(name, { kubectl, server, folder: folder.path });
        const mismatches = await playTranscript(runner, readTranscript(name), kubectl);
        expect(mismatches.join("\n\n")).toBe("");
      },
      limitMs,
    );
  });
});
