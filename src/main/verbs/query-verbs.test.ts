// SPDX-License-Identifier: Apache-2.0
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  completeCoverage,
  type FakeQueryService,
  fakeObject,
  fakeQueryTransport,
  refusedAt,
  staleCoverage,
} from "../../cli/query/testing/fake-query.ts";
import { recordIo } from "../../cli/testing/recorded-io.ts";
import { createErrorTransport } from "../../rpc/client/error-transport.ts";
import { fakeFiles } from "../config/testing/config-input.ts";
import { runFlotilla } from "../run-flotilla.ts";
import { verbs } from "./verbs.ts";

const env = { FLOTILLA_HUB: "https://hub.example.com", FLOTILLA_TOKEN: "flt_ann" };
const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: view }
rules: []
`;

async function run(argv: readonly string[], service: FakeQueryService = {}, given: Record<string, string> = env) {
  const { io, stdout, stderr } = recordIo(given);
  const exitCode = await runFlotilla(argv, verbs, {
    io,
    signal: new AbortController().signal,
    readFile: fakeFiles({ "role.yaml": role, "/dev/stdin": role }),
    openTransport: ({ url }) => {
      const transport = createErrorTransport(fakeQueryTransport(service), { url, timeoutMs: 30_000 });
      return Promise.resolve({ ...transport, close: () => undefined });
    },
    version: { version: "1.2.3", runtime: "Node" },
  });
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

const rows = { objects: [fakeObject()], total: 1n, coverage: completeCoverage };

describe("options reach the hub", () => {
  test("of query", async () => {
    const { exitCode, stdout } = await run(
      ["query", "status:unhealthy", "--sort", "-age", "--sort", "name", "--facets", "kind,ns", "--since", "2h"].concat(
        "--limit=7",
        "--include-deleted",
        "-o=json",
      ),
      {
        listObjects: ({ query, sort, facets, limit, includeDeleted, deletedSince }) => {
          expect([query, sort, facets, limit, includeDeleted, deletedSince]).toEqual([
            "status:unhealthy",
            ["-age", "name"],
            ["kind", "ns"],
            7,
            true,
            "now-7200000ms",
          ]);
          return rows;
        },
      },
    );
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { total: 1 }]);
    const grouped = await run(["query", "--group-by", "kind", "--measure", "field.restarts", "-o", "csv"], {
      listObjects: ({ query, groupBy, measure }) => {
        expect([query, groupBy, measure]).toEqual(["", ["kind"], "field.restarts"]);
        return { coverage: completeCoverage };
      },
    });
    expect(grouped).toEqual({ exitCode: 0, stdout: "kind,count,least,greatest\n", stderr: "" });
    const explained = await run(["query", "--explain"], { explain: () => ({ coverage: completeCoverage }) });
    expect(explained.stdout).toContain("0 read, 0 matched");
  });

  test("[CL40] of query, get, problems and compare about the past, with one moment for all calls", async () => {
    const asked: string[] = [];
    const from = timestampFromMs(Date.parse("2026-01-31T10:00:00.123Z"));
    const service: FakeQueryService = {
      async *loadPast(request) {
        asked.push(`${request.query}|${request.from}|${request.to}`);
        yield { readCount: 1, clusterCount: 1, from, ...(request.from === "" ? {} : { to: from }) };
      },
      listObjects: ({ query, onlyDeleted }) => {
        asked.push(`list ${query} ${onlyDeleted}`);
        return rows;
      },
      problems: ({ query }) => {
        asked.push(`problems ${query}`);
        return { coverage: completeCoverage };
      },
      compare: ({ query }) => {
        asked.push(`compare ${query}`);
        return { coverage: completeCoverage };
      },
      listObjectChanges: (request) => {
        asked.push(`changes ${request.query} ${request.from} ${request.to}`);
        return { coverage: completeCoverage };
      },
    };
    const calls = [
      ["query", "ns:a", "--at", "10m"],
      ["query", "ns:a at:now-1h"],
      ["query", "--deleted"],
      ["get", "pods", "-A", "--at", "2026-01-31"],
      ["problems", "--at", "1h"],
      ["compare", "ns:a", "--at", "1h"],
      ["query", "ns:a", "--changes-since", "1h", "--until", "30m"],
    ];
    for (const argv of calls) expect((await run(argv, service)).exitCode, argv.join(" ")).toBe(0);
    const at = "2026-01-31T10:00:00.123Z";
    expect(asked).toEqual([
      "(ns:a) at=now-10m||",
      `list (ns:a) at=${at} false`,
      "ns:a at:now-1h||",
      "list ns:a at:now-1h false",
      "list  true",
      "(kind=pods) at=2026-01-31||",
      `list (kind=pods) at=${at} false`,
      "at=now-1h||",
      `problems at=${at}`,
      "(ns:a) at=now-1h||",
      `compare (ns:a) at=${at}`,
      "ns:a|now-1h|now-30m",
      "changes ns:a 2026-01-31T10:00:00.123Z 2026-01-31T10:00:00.123Z",
    ]);
  });

  test("of get", async () => {
    const argv = ["get", "po,svc", "web", "api", "-n", "shop", "-l", "app=web", "--cluster", "prod-*"];
    const { exitCode, stdout } = await run([...argv, "--status", "unhealthy", "-o", "name"], {
      listObjects: ({ query }) => {
        expect(query).toBe(
          "kind=in(po,svc) cluster=prod-* namespace=shop name=in(web,api) status=unhealthy label.app=web",
        );
        return rows;
      },
    });
    expect([exitCode, stdout]).toEqual([0, "east/shop/pod/web\n"]);
    expect((await run(["get", "pods", "-A"], { listObjects: () => rows })).stdout).toMatch(/^CLUSTER +NAMESPACE/);
  });

  test("of problems, compare and relations", async () => {
    const problems = await run(["problems", "ns:shop", "--degraded", "--limit", "5"], {
      problems: ({ query, includeDegraded, limit }) => {
        expect([query, includeDegraded, limit]).toEqual(["ns:shop", true, 5]);
        return { coverage: completeCoverage };
      },
    });
    expect(problems.stdout).toBe("no problems\n");
    const compared = await run(["compare", "kind:deploy", "--golden", "east", "--all", "--cluster", "a,b"], {
      compare: ({ goldenCluster, clusters, differingOnly }) => {
        expect([goldenCluster, clusters, differingOnly]).toEqual(["east", ["a", "b"], false]);
        return { coverage: completeCoverage };
      },
    });
    expect(compared.stderr).toBe("flotilla: no objects match\n");
    const related = await run(["relations", "east", "deploy", "web", "-n", "shop"], {
      relations: ({ cluster, kind, namespace, name }) => {
        expect([cluster, kind, namespace, name]).toEqual(["east", "deploy", "shop", "web"]);
        return { objects: [{ kind: "Deployment", status: "healthy", key: { namespace, name } }] };
      },
    });
    expect(related.stdout).toBe("Deployment shop/web  healthy *\n");
  });

  test("of access", async () => {
    const explain: FakeQueryService = { explainAccess: ({ user }) => ({ sentence: user?.groups.join() ?? "you" }) };
    expect((await run(["access", "explain", "ann", "east", "po", "web", "--groups", "a,b"], explain)).stdout).toContain(
      "why      a,b\n",
    );
    expect((await run(["access", "explain", "--me", "east", "po", "web"], explain)).stdout).toContain("why      you\n");
    const who = await run(["access", "who", "east", "po", "web", "-n", "shop", "-o", "json"], {
      listViewers: () => ({}),
    });
    expect(JSON.parse(who.stdout)).toEqual({ viewers: [], leftOutCount: 0 });
    const rules = await run(["access", "rules", "ann", "--cluster", "prod-*", "-o", "wide"], {
      listAccessRulesForUser: ({ clusters }) => ({
        rules: [{ cluster: clusters.join(), role: "r" }],
        coverage: completeCoverage,
      }),
    });
    expect(rules.stdout).toMatch(/^CLUSTER +ROLE +NAMESPACE +ACCESSIBLE KINDS +BINDING/);
    for (const file of ["role.yaml", "-"]) {
      const preview = await run(["access", "what-if", "east", "-f", file], {
        previewAccess: ({ objects }) => {
          expect(objects).toHaveLength(1);
          return {};
        },
      });
      expect(preview).toEqual({ exitCode: 0, stdout: "nothing would appear or disappear\n", stderr: "" });
    }
  });
});

test("[CL33] a partial answer is printed, named in one line on standard error, and exits with 8", async () => {
  const { exitCode, stdout, stderr } = await run(["query"], {
    listObjects: () => ({ ...rows, coverage: staleCoverage }),
  });
  expect(exitCode).toBe(8);
  expect(stdout).toMatch(/\neast +shop +web/);
  expect(stderr).toBe(
    "flotilla: 296 of 300 clusters, 4 stale: a (disconnected 4m), b (grants are older than rows), c (neverSeen), 1 more\n",
  );
});

test("[CL36] [Q-13] a refused query exits with 2 and is shown with a caret under the mistake", async () => {
  const { exitCode, stdout, stderr } = await run(["query", "kind:Pod statsu=unhealthy"], {
    listObjects: () => {
      throw refusedAt(10, 'there is no field "statsu"; did you mean status?');
    },
  });
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(
    [
      'flotilla: query, column 10: there is no field "statsu"; did you mean status?',
      "  kind:Pod statsu=unhealthy",
      "           ^",
      "",
    ].join("\n"),
  );
});

describe("a wrong call ends with exit code 2 and one sentence", () => {
  test.each([
    [["query", "--facet", "kind"], 'command line: unknown flag "--facet"; did you mean --facets?'],
    [["query", "-o", "xml"], '--output: "xml" is not one of text, table, wide, json, yaml, csv, name, ndjson'],
    [["query", "a", "b"], 'command line: "b" is an unexpected argument'],
    [["query", "--limit", "-1"], '--limit: "-1" is not between 0 and 10000000'],
    [["get"], "command line: KIND[,KIND] is missing"],
    [["get", "pods", "--stauts", "x"], 'command line: unknown flag "--stauts"; did you mean --status?'],
    [
      ["get", "pods", "--status", "unhealty"],
      '--status: "unhealty" contains "unhealty", which is not a status; did you mean unhealthy? Statuses are',
    ],
    [["get", "pods", "-l", "app=("], "label selector"],
    [["problems", "-o", "csv"], '--output: "csv" is not one of text, json, yaml'],
    [["problems", "--limit", "x"], '--limit: "x" is not a whole number'],
    [["problems", "--degrade"], 'command line: unknown flag "--degrade"; did you mean --degraded?'],
    [["compare"], "command line: QUERY is missing"],
    [["compare", "x", "--gold", "a"], 'command line: unknown flag "--gold"'],
    [["compare", "x", "-o", "wide"], '--output: "wide" is not one of text, json, yaml'],
    [["relations", "east", "pods"], "command line: NAME is missing"],
    [["relations", "east", "pods", "web", "-A"], 'command line: unknown flag "-A"'],
    [["access"], "access needs one of explain, who, rules, what-if after it"],
    [["access", "explain", "ann", "east", "pods"], "the arguments must be USER CLUSTER KIND NAME; - is yourself"],
    [["access", "explain", "ann", "east", "pods", "web", "--group", "x"], "did you mean --groups?"],
    [["access", "who", "east", "pods"], "command line: NAME is missing"],
    [["access", "rules", "ann", "-o", "csv"], '--output: "csv" is not one of text, wide, json, yaml'],
    [["access", "rules", "--groups", "x"], "--groups works only with USER; your own groups are those of your token"],
    [["access", "what-if", "east"], "--filename: is missing and must be given"],
    [["access", "what-if", "east", "-f", "gone.yaml"], "--filename: gone.yaml does not exist"],
    [["access", "what-if", "-f", "role.yaml"], "command line: CLUSTER is missing"],
  ])("%j", async (argv, sentence) => {
    const { exitCode, stdout, stderr } = await run(argv);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(sentence);
    expect(stderr.split("\n").length).toBeLessThanOrEqual(4);
  });
});

test.each([
  [["query", "x"]],
  [["get", "pods"]],
  [["problems"]],
  [["compare", "x"]],
  [["relations", "east", "pods", "web"]],
  [["access", "explain", "-", "east", "pods", "web"]],
  [["access", "who", "east", "pods", "web"]],
  [["access", "rules"]],
  [["access", "what-if", "east", "-f", "role.yaml"]],
])("%j without a hub exits with the code of unavailable and what to do", async (argv) => {
  const { exitCode, stdout, stderr } = await run(argv, {}, {});
  expect([exitCode, stdout]).toEqual([5, ""]);
  expect(stderr).toMatch(/^flotilla: [^\n]+\n$/);
});

test.each([["query"], ["get"], ["problems"], ["compare"], ["relations"], ["access explain"], ["access what-if"]])(
  "`help %s` shows its arguments and flags",
  async (name) => {
    const { exitCode, stdout } = await run(["help", ...name.split(" ")]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`usage: flotilla ${name} `);
  },
);
