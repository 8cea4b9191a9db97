// SPDX-License-Identifier: Apache-2.0
import { openMemoryLog, openSharedSqliteLog, openSqliteLog } from "../support/store-fleet-log.ts";
import { describeFleetLogContract, describeSharedLogContract } from "./fleet-log-contract.ts";

describeFleetLogContract("memory", openMemoryLog);
describeFleetLogContract("sqlite", openSqliteLog);
describeSharedLogContract("two sqlite connections", openSharedSqliteLog);
