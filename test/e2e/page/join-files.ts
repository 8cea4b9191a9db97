// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { listOf, textMapOf, textOf, textsOf } from "../../../src/kinds/fields.ts";

/**
 * The arguments with which a kubelet would start the agent of this manifest. What it would mount, the join token and
 * the hub's authority, is written into the folder, and the arguments name those files; the admin port is any free one
 * of this machine.
 */
export function writeJoinFiles(manifest: string, folder: string): readonly string[] {
  const objects = parseAllDocuments(manifest).map((each) => each.toJS() as unknown);
  const find = (kind: string): unknown => objects.find((object) => textOf(object, "kind") === kind);
  const [container] = listOf(find("Deployment"), "spec", "template", "spec", "containers");
  const files = { token: join(folder, "join-token"), ca: join(folder, "hub-ca.crt") };
  writeFileSync(files.token, textMapOf(find("Secret"), "stringData").get("token") ?? "", { mode: 0o600 });
  writeFileSync(files.ca, textMapOf(find("ConfigMap"), "data").get("ca.crt") ?? "");
  const places = new Map([
    ["--ca-file", files.ca],
    ["--join-token-file", files.token],
    ["--admin-address", "127.0.0.1"],
    ["--admin-port", "0"],
  ]);
  return textsOf(container, "args").map((word) => {
    const [name = ""] = word.split("=");
    const place = places.get(name);
    return place === undefined ? word : `${name}=${place}`;
  });
}
