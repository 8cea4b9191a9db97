// SPDX-License-Identifier: Apache-2.0
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { StandingRig, testSecret } from "./testing/standing-rig.ts";

/** The check that docs/operations/standing-queries.md shows to receivers. */
function isGenuine(headers: IncomingHttpHeaders, body: string, nowMs: number): boolean {
  const timestamp = String(headers["flotilla-timestamp"]);
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > 300) return false;
  const expected = Buffer.from(`v1=${createHmac("sha256", testSecret).update(`${timestamp}.${body}`).digest("hex")}`);
  const given = Buffer.from(String(headers["flotilla-signature"]));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

test("[SQ14] a receiver can verify the signature, the time and the body of a delivery", async () => {
  const received = Promise.withResolvers<{ readonly headers: IncomingHttpHeaders; readonly body: string }>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => {
      body += part;
    });
    request.on("end", () => {
      response.writeHead(204).end();
      received.resolve({ headers: request.headers, body });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const rig = await StandingRig.open();
  try {
    rig.send = async ({ url, headers, body }, signal) => {
      const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
      await answer.body?.cancel();
      return answer.status;
    };
    const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    await rig.create({ webhookUrl, query: "status=unhealthy" });
    rig.fleet.set("east/a");
    await rig.clock.advance(5_000);
    const { headers, body } = await received.promise;
    const nowMs = rig.clock.wallMs();
    expect([isGenuine(headers, body, nowMs), headers["content-type"]]).toEqual([true, "application/json"]);
    expect(isGenuine(headers, `${body} `, nowMs)).toBe(false);
    expect(isGenuine(headers, body, nowMs + 301_000)).toBe(false);
    const parsed: unknown = JSON.parse(body);
    expect(parsed).toEqual({
      version: 1,
      kind: "changed",
      delivery: headers["flotilla-delivery"],
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      standingQuery: { name: "broken", owner: "ann", query: "status=unhealthy", on: "enterOrLeave" },
      total: 1,
      previousTotal: 0,
      isExact: true,
      entered: {
        count: 1,
        rows: [
          {
            id: expect.stringMatching(/^[0-9a-f]{24}$/),
            cluster: "east",
            resource: "pods",
            kind: "Pod",
            namespace: "shop",
            name: "a",
            status: "unhealthy",
            reason: "CrashLoopBackOff",
            message: "back-off of a",
          },
        ],
      },
    });
  } finally {
    await rig.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
