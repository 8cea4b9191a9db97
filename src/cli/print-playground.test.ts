// SPDX-License-Identifier: Apache-2.0
import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { PlaygroundNetwork, PlaygroundService } from "../gen/flotilla/admin/v1/playground_pb.ts";
import { createErrorTransport } from "../rpc/client/error-transport.ts";
import type { HubCall } from "./hub/hub-call.ts";
import type { OutputFormat } from "./output/output.ts";
import { listPlayground, makeTrouble } from "./print-playground.ts";
import { recordIo } from "./testing/recorded-io.ts";

const one = {
  name: "eu-west-1",
  region: "eu-west",
  url: "https://127.0.0.1:1",
  isRunning: true,
  network: PlaygroundNetwork.OPEN,
};
const troubles = [
  { trouble: "crash-loop", namespace: "shop", name: "cart" },
  { trouble: "node-loss", namespace: "", name: "node-3" },
];
const served: Partial<ServiceImpl<typeof PlaygroundService>> = {
  listPlaygroundClusters: () => ({
    clusters: [
      { ...one, troubles },
      { ...one, name: "us-east-1" },
    ],
    troubleNames: ["crash-loop", "node-loss"],
  }),
};

function callOf(
  service: Partial<ServiceImpl<typeof PlaygroundService>> | undefined,
  output: OutputFormat = "text",
): { call: HubCall; stdout: () => string } {
  const { io, stdout } = recordIo();
  const router = createRouterTransport((routes) => {
    if (service !== undefined) routes.service(PlaygroundService, service);
  });
  const transport = createErrorTransport(router, { url: "http://hub", timeoutMs: 5_000 });
  return { call: { transport, io, output, signal: new AbortController().signal }, stdout };
}

test("[CL14] playground list shows the active troubles, what they strike, and the troubles to choose from", async () => {
  const { call, stdout } = callOf(served);
  await listPlayground(call);
  expect(stdout()).toBe(
    [
      "NAME       REGION   STATE    NETWORK  TROUBLES                                    URL",
      "eu-west-1  eu-west  running  open     crash-loop (shop/cart), node-loss (node-3)  https://127.0.0.1:1",
      "us-east-1  eu-west  running  open     -                                           https://127.0.0.1:1",
      "",
      "Available troubles: crash-loop, node-loss.",
      "Start one with `flotilla playground trouble NAME TROUBLE`, end it with `flotilla playground heal NAME TROUBLE`.",
      "",
    ].join("\n"),
  );
  const json = callOf(served, "json");
  await listPlayground(json.call);
  expect(JSON.parse(json.stdout())).toMatchObject({
    clusters: [
      { name: "eu-west-1", troubles },
      { name: "us-east-1", troubles: [] },
    ],
    troubleNames: ["crash-loop", "node-loss"],
  });
});

test("[CL14] a hub without playground clusters is named as that, by every verb", async () => {
  const { call } = callOf(undefined);
  const refusal = {
    code: "NOT_FOUND",
    message: expect.stringContaining("this hub has no playground clusters") as string,
  };
  await expect(listPlayground(call)).rejects.toMatchObject(refusal);
  await expect(makeTrouble(call, "eu-west-1", "crash-loop")).rejects.toMatchObject(refusal);
});
