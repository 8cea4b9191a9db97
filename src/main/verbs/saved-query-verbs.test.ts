// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { completeCoverage, type FakeQueryService } from "../../cli/query/testing/fake-query.ts";
import {
  type FakeSavedQueryService,
  fakeSavedQuery,
  fakeSavedTransport,
  fakeStandingQuery,
} from "../../cli/saved-queries/testing/fake-saved-queries.ts";
import { recordIo } from "../../cli/testing/recorded-io.ts";
import { fakeFiles } from "../config/testing/config-input.ts";
import { runFlotilla } from "../run-flotilla.ts";
import { verbs } from "./verbs.ts";

const env = { FLOTILLA_HUB: "https://hub.example.com", FLOTILLA_TOKEN: "flt_ann" };

async function run(argv: readonly string[], service: FakeSavedQueryService, queries: FakeQueryService = {}) {
  const { io, stdout, stderr } = recordIo(env);
  const exitCode = await runFlotilla(argv, verbs, {
    io,
    signal: new AbortController().signal,
    readFile: fakeFiles({ "/run/secret": "0123456789abcdef\n" }),
    openTransport: () => Promise.resolve({ ...fakeSavedTransport(service, queries), close: () => undefined }),
    version: { version: "1.2.3", runtime: "Node" },
  });
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

const savedQuery = fakeSavedQuery();
const standingQuery = fakeStandingQuery();

test("[SQ3] the options of saved queries reach the hub", async () => {
  const view = ["--private", "--columns", "name,label.app", "--sort", "-age", "--facets", "kind", "--group-by", "ns"];
  const content = {
    columns: ["name", "label.app"],
    sort: ["-age"],
    facets: ["kind"],
    groupBy: ["ns"],
    description: "d",
  };
  for (const verb of ["create", "update"]) {
    const answer = ({ content: sent }: { content?: object | undefined }) => {
      expect(sent).toMatchObject(content);
      return { savedQuery };
    };
    const service = {
      createSavedQuery: answer,
      updateSavedQuery: answer,
      getSavedQuery: ({ isPrivate }: { isPrivate: boolean }) => {
        expect(isPrivate).toBe(true);
        return { savedQuery };
      },
    };
    const { exitCode } = await run(["saved-query", verb, "broken", "kind:Pod", ...view, "--description", "d"], service);
    expect(exitCode).toBe(0);
  }
  const listed = await run(["saved-query", "list", "-o", "json"], { listSavedQueries: () => ({}) });
  expect(JSON.parse(listed.stdout)).toEqual({ savedQueries: [] });
  const got = await run(["saved-query", "get", "broken"], { getSavedQuery: () => ({ savedQuery }) });
  expect(got.stdout).toContain("status=unhealthy");
  const deleted = await run(["saved-query", "delete", "broken", "--private", "--owner", "bob"], {
    deleteSavedQuery: ({ owner, isPrivate }) => {
      expect([owner, isPrivate]).toEqual(["bob", true]);
      return {};
    },
  });
  expect(deleted.exitCode).toBe(0);
});

test("[SQ1] a run prints the formats of query", async () => {
  const { exitCode, stdout } = await run(
    ["saved-query", "run", "broken", "-o", "csv", "--limit", "3"],
    { getSavedQuery: () => ({ savedQuery }) },
    {
      listObjects: ({ query, limit }) => {
        expect([query, limit]).toEqual(["status=unhealthy", 3]);
        return { coverage: completeCoverage };
      },
    },
  );
  expect([exitCode, stdout.split("\n")[0]]).toEqual([0, expect.stringMatching(/^cluster,resource,kind/)]);
});

test("[SQ6] the options of standing queries reach the hub, the secret by reference", async () => {
  const argv = ["--on", "threshold", "--above", "10", "--clear-at", "5", "--for", "5m", "--interval", "2m"];
  const receiver = ["--receiver", "https://hooks.example.com/x", "--signing-secret", "file:/run/secret"];
  const created = await run(["standing-query", "create", "broken", "kind:Pod", ...argv, ...receiver], {
    createStandingQuery: ({ condition, secret, webhookUrl, intervalSeconds }) => {
      expect(condition?.threshold).toMatchObject({ above: 10n, clearAt: 5n, forSeconds: 300 });
      expect([secret, webhookUrl, intervalSeconds]).toEqual(["0123456789abcdef", "https://hooks.example.com/x", 120]);
      return { standingQuery };
    },
  });
  expect(created).toMatchObject({ exitCode: 0, stdout: "" });
  const listed = await run(["standing-query", "list", "--all-owners"], {
    listStandingQueries: ({ allOwners }) => ({ standingQueries: allOwners ? [standingQuery] : [] }),
  });
  expect(listed.stdout).toContain("broken");
  for (const verb of ["get", "delete", "pause"]) {
    const answer = ({ owner }: { owner: string }) => {
      expect(owner).toBe("bob");
      return { standingQuery };
    };
    const deleteStandingQuery = (request: { owner: string }) => {
      answer(request);
      return {};
    };
    const service = { getStandingQuery: answer, deleteStandingQuery, pauseStandingQuery: answer };
    expect((await run(["standing-query", verb, "broken", "--owner", "bob"], service)).exitCode).toBe(0);
  }
  const resumed = await run(["standing-query", "resume", "broken"], { resumeStandingQuery: () => ({ standingQuery }) });
  expect(resumed.exitCode).toBe(0);
});

test.each([
  [["standing-query", "create", "x", "kind:Pod"], "--receiver"],
  [["standing-query", "create", "x", "q", "--receiver", "https://a.b", "--interval", "1s"], "must be at least 10s"],
  [["standing-query", "create", "x", "q", "--receiver", "https://a.b", "--on", "exit"], "is not one of enter, leave"],
  [["saved-query", "create", "x"], "QUERY is missing"],
  [["saved-query"], "saved-query needs one of create, update, list, get, delete, run after it"],
])("%j ends with exit code 2 and one sentence", async (argv, sentence) => {
  const { exitCode, stderr } = await run(argv, {});
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});
