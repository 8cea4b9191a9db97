// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTempFolder } from "../../../test/support/temp-folder.ts";
import { adoptContexts } from "./adopt-contexts.ts";

describe("contexts that up adopts", () => {
  const folder = openTempFolder();
  const kubeconfig = join(folder.path, "config");
  const adopt = (context?: string, file: string | undefined = kubeconfig) =>
    adoptContexts({ kubeconfig: file, context, environment: {} });

  beforeAll(() => {
    const names = ["prod-east", "prod-west", "stage", "admin@kind"];
    const contexts = names.map((name) => ({ name, context: { cluster: "c" } }));
    const broken = { name: "broken", context: { cluster: "none" } };
    const clusters = [{ name: "c", cluster: { server: "https://c.example.com" } }];
    writeFileSync(
      kubeconfig,
      JSON.stringify({ clusters, contexts: [...contexts, broken], "current-context": "stage" }),
    );
  });

  afterAll(() => folder[Symbol.dispose]());

  test("are those that fit, each a cluster of its name, or the current one", async () => {
    expect((await adopt("prod-*")).map(({ id, context }) => [id, context])).toEqual([
      ["prod-east", "prod-east"],
      ["prod-west", "prod-west"],
    ]);
    expect(await adopt()).toMatchObject([{ id: "stage", kubeconfig }]);
  });

  test("are none without a kubeconfig", async () => {
    expect(await adoptContexts({ kubeconfig: undefined, context: undefined, environment: {} })).toEqual([]);
  });

  test.each([
    ["admin*", /context "admin@kind" of .* cannot be a cluster name.*rename-context/],
    ["nope", /no context of .* matches --context "nope"/],
    ["broken", /there is no such cluster/],
  ])("%s is refused", async (context, sentence) => {
    const refusal = expect.stringMatching(sentence) as unknown;
    await expect(adopt(context)).rejects.toMatchObject({ code: "CONFIG_INVALID", message: refusal });
  });

  test("a context alone, and a file that is not there, are refused", async () => {
    const alone = adoptContexts({ kubeconfig: undefined, context: "x", environment: {} });
    await expect(alone).rejects.toThrow("--context is given without --kubeconfig");
    await expect(adopt("*", join(folder.path, "nowhere"))).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});
