// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anonymousUser, type Impersonation } from "../credentials/cluster-access.ts";
import type { KubeRequest } from "../kube-source.ts";
import { requestHeaders } from "./request-headers.ts";
import { failureOf, get, neverAborted, openTestConnection, testAccess } from "./testing/test-access.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

const jane: Impersonation = { user: "jane", uid: undefined, groups: [], extra: new Map() };

function headersOf(change: Partial<KubeRequest>, own?: Impersonation): ReturnType<typeof requestHeaders> {
  const access = testAccess("https://server.example", { user: { ...anonymousUser, impersonation: own } });
  return requestHeaders(
    get("/api", change),
    access,
    { authorization: "Bearer own", clientCertificate: undefined },
    "agent/test",
  );
}

/** The name as the server reads the bytes of the header. */
const heard = (value: unknown): string => Buffer.from(String(value), "latin1").toString("utf8");

describe("[TU8] a request that is made as somebody", () => {
  test("names user and groups, beside the credential that asks for it", () => {
    expect(headersOf({ actAs: { ...jane, groups: ["a", "b,c"] } })).toMatchObject({
      authorization: "Bearer own",
      "impersonate-user": "jane",
      "impersonate-group": ["a", "b,c"],
    });
  });

  test("has no header for what the user has not", () => {
    const headers = headersOf({ actAs: jane });
    expect(Object.keys(headers).filter((name) => name.startsWith("impersonate-"))).toEqual(["impersonate-user"]);
  });

  test("cannot say it by headers of its own beside", () => {
    const headers = { "impersonate-user": "root", authorization: "Bearer other" };
    expect(headersOf({ actAs: jane, headers })).toMatchObject({
      "impersonate-user": "jane",
      authorization: "Bearer own",
    });
  });

  test("names arrive as UTF-8, whatever letters they have", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }), (name) => {
        const headers = headersOf({ actAs: { ...jane, user: name, groups: [name] } });
        expect(heard(headers["impersonate-user"])).toBe(name);
        expect((headers["impersonate-group"] as readonly string[]).map(heard)).toEqual([name]);
      }),
    );
  });

  test("arrives so at a server, each group a header of its own", async () => {
    const seen: (readonly string[])[] = [];
    await using server = await startTestServer((request, response) => {
      seen.push(request.rawHeaders);
      answerJson(response, 200, {});
    });
    await using connection = openTestConnection(testAccess(server.url));
    const actAs = { ...jane, user: "Ünal 日本 𝄞", groups: ["a,b", "é"] };
    await connection.request(get("/api", { actAs }), neverAborted);
    const pairs = (seen[0] ?? []).flatMap((name, at, all) => (at % 2 === 0 ? [[name, heard(all[at + 1])]] : []));
    expect(pairs.filter(([name]) => name?.startsWith("impersonate-"))).toEqual([
      ["impersonate-user", "Ünal 日本 𝄞"],
      ["impersonate-group", "a,b"],
      ["impersonate-group", "é"],
    ]);
  });

  test("is refused before it leaves where the credential acts as somebody itself", async () => {
    let requestCount = 0;
    await using server = await startTestServer((_request, response) => {
      requestCount += 1;
      answerJson(response, 200, {});
    });
    const user = { ...anonymousUser, impersonation: jane };
    await using connection = openTestConnection(testAccess(server.url, { user }));
    const actAs = { ...jane, user: "ann" };
    expect(await failureOf(connection.request(get("/api", { actAs }), neverAborted))).toMatchObject({
      fault: "forbidden",
      message: expect.stringContaining(
        "the credential for test already impersonates a user, so it cannot impersonate another one",
      ),
    });
    expect(requestCount).toBe(0);
  });
});

test("without more words a request is made as whom the credential acts", () => {
  expect(headersOf({}, jane)["impersonate-user"]).toBe("jane");
  expect(headersOf({})["impersonate-user"]).toBeUndefined();
});
