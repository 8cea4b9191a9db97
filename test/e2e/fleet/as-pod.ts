// SPDX-License-Identifier: Apache-2.0
// Given to Node by --import: the files of the service account, which a kubelet mounts into a Pod, are those of the
// folder named here.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

const mounted = "/var/run/secrets/kubernetes.io/serviceaccount/";
const folder = process.env["ACCOUNT_FOLDER"];
if (folder === undefined) throw new Error("ACCOUNT_FOLDER is not set");

const { open } = fs.promises;
fs.promises.open = (path, ...rest) => {
  const isMounted = typeof path === "string" && path.startsWith(mounted);
  return open(isMounted ? join(folder, path.slice(mounted.length)) : path, ...rest);
};
syncBuiltinESMExports();
