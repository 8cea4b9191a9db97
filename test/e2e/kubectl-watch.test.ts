// SPDX-License-Identifier: Apache-2.0
// Commands of kubectl that wait for what others do.
import { describe, expect, test } from "vitest";
import { openTempFolder } from "../support/temp-folder.ts";
import { chooseKubectls } from "./kubectl/choose-kubectl.ts";
import { prepareTranscript } from "./kubectl/prepare-transcript.ts";
import { startLivingCluster } from "./kubectl/start-living-cluster.ts";
import { watchLines } from "./kubectl/watch-lines.ts";

/** Each test takes seconds; the rest is for a machine that is busy otherwise. */
const limitMs = 240_000;

const chosen = chooseKubectls().filter(({ kubectl: { label }, extent }) => extent === "whole" || label === "1.27");

describe.each([...chosen])("kubectl $kubectl.label on our server", ({ kubectl }) => {
  test(
    "get -w shows each change as a row, with the columns once",
    async () => {
      using folder = openTempFolder();
      await using server = await startLivingCluster();
      const runner = await prepareTranscript("watch", { kubectl, server, folder: folder.path });
      await runner.run(["apply", "-f", "widget.yaml"]);
      await using watched = watchLines(runner, ["get", "widgets", "-w", "--output-watch-events"]);
      expect(await watched.next()).toBe("EVENT NAME SIZE PHASE AGE");
      expect(await watched.next()).toMatch(/^ADDED one 3 \d+s$/);
      await runner.run(["patch", "widget", "one", "--type=merge", "-p", '{"spec":{"size":7}}']);
      expect(await watched.next()).toMatch(/^MODIFIED one 7 \d+s$/);
      await runner.run(["delete", "widget", "one"]);
      expect(await watched.next()).toMatch(/^DELETED one 7 \d+s$/);
    },
    limitMs,
  );

  test(
    "wait --for=delete ends when the object is gone, and not before",
    async () => {
      using folder = openTempFolder();
      await using server = await startLivingCluster();
      const runner = await prepareTranscript("wait", { kubectl, server, folder: folder.path });
      await runner.run(["create", "configmap", "held"]);
      await runner.run(["patch", "configmap", "held", "-p", '{"metadata":{"finalizers":["example.com/hold"]}}']);
      await runner.run(["delete", "configmap", "held", "--wait=false"]);
      let isOver = false;
      const waiting = runner.run(["wait", "--for=delete", "configmap/held", "--timeout=90s"]).finally(() => {
        isOver = true;
      });
      const held = await runner.run(["get", "configmap", "held", "-o", "jsonpath={.metadata.finalizers}"]);
      expect(held.stdout).toBe('["example.com/hold"]');
      expect(isOver).toBe(false);
      await runner.run([
        "patch",
        "configmap",
        "held",
        "--type=json",
        "-p",
        '[{"op":"remove","path":"/metadata/finalizers"}]',
      ]);
      expect(await waiting).toMatchObject({ code: 0 });
    },
    limitMs,
  );

  test(
    "get -w of Pods follows one from nothing to Running",
    async () => {
      using folder = openTempFolder();
      await using server = await startLivingCluster();
      const runner = await prepareTranscript("pods", { kubectl, server, folder: folder.path });
      await runner.run(["run", "first", "--image=nginx"]);
      const columns = "custom-columns=NAME:.metadata.name,PHASE:.status.phase";
      await using watched = watchLines(runner, ["get", "pods", "-w", "-o", columns, "--no-headers"]);
      // Once the list was printed the watch goes on from there, so nothing of the second Pod is missed.
      expect(await watched.next()).toMatch(/^first /);
      await runner.run(["run", "second", "--image=nginx"]);
      const phases = new Set<string>();
      while (!phases.has("second Running")) phases.add(await watched.next());
      expect([...phases].filter((line) => line.startsWith("second"))).toEqual(["second Pending", "second Running"]);
    },
    limitMs,
  );
});
