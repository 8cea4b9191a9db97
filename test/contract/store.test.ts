// SPDX-License-Identifier: Apache-2.0
import { openMemoryStore, openSqliteStore, openWorkerStore } from "../support/store-under-test.ts";
import { describeStoreContract } from "./store-contract.ts";

describeStoreContract("memory", openMemoryStore);
describeStoreContract("sqlite in this thread", openSqliteStore);
describeStoreContract("sqlite in its own thread", openWorkerStore);
