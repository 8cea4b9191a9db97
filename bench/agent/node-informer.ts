// SPDX-License-Identifier: Apache-2.0
// The second peer: the informer of @kubernetes/client-node in a process of its own. Argument: a kubeconfig.
import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";

const config = new KubeConfig();
config.loadFromFile(process.argv[2] ?? "");
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
await informer.start();
console.log(`synced ${informer.list().length}`);
process.stdin.resume().on("end", () => process.exit(0));
