// SPDX-License-Identifier: Apache-2.0
// Options of the hub that no other test of a whole hub sets, each seen to act.
import { request } from "node:http";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { connectPlain } from "../../src/rpc/testing/raw-peer.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

describe("a hub with options of its own", () => {
  const folder = openTempFolder();
  let hub: RunningHub;

  beforeAll(async () => {
    const flags = ["--hosts", "hub.example.com", "--max-message-size", "128KiB", "--max-connections", "4"];
    hub = await startHub(folder.path, flags);
  });

  afterAll(async () => {
    await hub.stop();
    folder[Symbol.dispose]();
  });

  /** The status of `/livez` for this Host header. */
  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const call = request(`${hub.record.httpUrl}/livez`, { headers: { host }, agent: false }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.on("error", reject);
      call.end();
    });

  test("[RP19] --hosts: answers to that name too, and to no other", async () => {
    expect(await statusFor("hub.example.com")).toBe(200);
    expect(await statusFor("other.example.com")).toBe(421);
  });

  test("[RP25] --max-message-size: refuses a larger message, with the limit", async () => {
    const tokens = createClient(TokenService, hub.connect());
    await expect(tokens.createToken({ user: "vera", description: "x".repeat(200_000) })).rejects.toMatchObject({
      code: "TOO_LARGE",
      message: expect.stringContaining("131072 bytes") as unknown,
    });
  });

  test("[RP5] --max-connections: closes one more than that", async () => {
    const peers = await Promise.all(Array.from({ length: 5 }, () => connectPlain(hub.record.httpUrl)));
    expect(await Promise.race(peers.map(({ closed }) => closed))).toBe(""); // without a word
    for (const { socket } of peers) socket.destroy();
  });
});
