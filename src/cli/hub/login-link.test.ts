// SPDX-License-Identifier: Apache-2.0
import { createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { type CreateLoginLinkRequest, LoginService } from "../../gen/flotilla/page/v1/page_pb.ts";
import type { OutputFormat } from "../output/output.ts";
import { recordIo } from "../testing/recorded-io.ts";
import { createLoginLink, toLoginLink } from "./login-link.ts";

async function run(output: OutputFormat, user = "") {
  const asked: CreateLoginLinkRequest[] = [];
  const transport = createRouterTransport(({ service }) =>
    service(LoginService, {
      createLoginLink: (request) => {
        asked.push(request);
        return { code: "flt_login_x", expiresInMs: 300_000n, user: "ann\u001b[31m" };
      },
    }),
  );
  const recorded = recordIo();
  const call = { transport, io: recorded.io, output, signal: new AbortController().signal };
  await createLoginLink(call, { user, groups: ["dev"], pageUrl: "http://127.0.0.1:7080" });
  return { asked, stdout: recorded.stdout(), stderr: recorded.stderr() };
}

test("[PG4] as text, standard output is the link alone, with the code behind #, and the rest is said beside it", async () => {
  const { asked, stdout, stderr } = await run("text", "ann");
  expect(stdout).toBe("http://127.0.0.1:7080/ui/login#code=flt_login_x\n");
  expect(stderr).toMatch(/^flotilla: this link logs in as ann.*, once, within 5 minutes\n$/);
  expect(stderr).not.toContain("\u001b");
  expect(asked).toMatchObject([{ user: "ann", groups: ["dev"] }]);
});

test("as JSON, link, user and life are one document", async () => {
  const { stdout, stderr } = await run("json");
  expect(JSON.parse(stdout)).toMatchObject({
    link: "http://127.0.0.1:7080/ui/login#code=flt_login_x",
    expiresInSeconds: 300,
  });
  expect(stderr).toBe("");
});

test("a slash at the end of the hub's address is not doubled", () => {
  expect(toLoginLink("https://hub.example/", "c")).toBe("https://hub.example/ui/login#code=c");
});
