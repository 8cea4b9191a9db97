// SPDX-License-Identifier: Apache-2.0
import { createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { type HintObjectRequest, HintOutcome, HintService } from "../../gen/flotilla/fleet/v1/hint_pb.ts";
import type { OutputFormat } from "../output/output.ts";
import { recordIo } from "../testing/recorded-io.ts";
import { hintObject } from "./hint-object.ts";

const hinted = { cluster: "east", kind: "Pod", namespace: "shop", name: "cart" };

/** What is printed of an answer of the hub, and the error that follows. */
async function hint(
  outcome: HintOutcome,
  output: OutputFormat = "text",
  asked: HintObjectRequest[] = [],
): Promise<{ readonly text: string; readonly error: unknown }> {
  const { io, stdout } = recordIo();
  const transport = createRouterTransport(({ service }) =>
    service(HintService, { hintObject: (request) => (asked.push(request), { outcome, sentence: "So \u001b it is." }) }),
  );
  const { signal } = new AbortController();
  const error = await hintObject({ transport, io, output, signal }, hinted).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { text: stdout(), error };
}

test("[Q-33] the hub gets the object, and its sentence is printed", async () => {
  const asked: HintObjectRequest[] = [];
  const { text, error } = await hint(HintOutcome.REFRESHED, "text", asked);
  expect(asked).toMatchObject([hinted]);
  expect([text, error]).toEqual(["So \\u001b it is.\n", undefined]);
});

test.each([
  [HintOutcome.UNCHANGED, "unchanged"],
  [HintOutcome.LEFT_TO_WATCH, "leftToWatch"],
  [77 as HintOutcome, "unknown"],
])("outcome %i is `%s` in JSON", async (outcome, word) => {
  const { text, error } = await hint(outcome, "json");
  expect(JSON.parse(text)).toMatchObject({ ...hinted, outcome: word });
  expect(error).toBeUndefined();
});

test.each([
  [HintOutcome.NOT_FOUND, "NOT_FOUND", "notFound"],
  [HintOutcome.CLUSTER_AWAY, "UNAVAILABLE", "clusterAway"],
])("outcome %i ends with the exit code of %s; JSON is printed all the same", async (outcome, code, word) => {
  const asText = await hint(outcome);
  expect([asText.text, asText.error]).toMatchObject(["", { code }]);
  const asJson = await hint(outcome, "json");
  expect(JSON.parse(asJson.text)).toMatchObject({ outcome: word });
  expect(asJson.error).toMatchObject({ code });
});
