import CourseCatalog
import Testing

@testable import CourseFetchCommands

@Suite("The task of a scheduler's array")
struct TaskArrayTests {
    private static func slurm(_ task: Int, _ range: ClosedRange<Int>, _ count: Int) -> [String: String] {
        [
            "SLURM_ARRAY_TASK_ID": "\(task)", "SLURM_ARRAY_TASK_MIN": "\(range.lowerBound)",
            "SLURM_ARRAY_TASK_MAX": "\(range.upperBound)", "SLURM_ARRAY_TASK_COUNT": "\(count)",
        ]
    }

    @Test(
        "it is a shard",
        arguments: [
            (slurm(0, 0...7, 8), nil, "1/8"), (slurm(8, 1...8, 8), nil, "8/8"), (slurm(12, 10...12, 3), nil, "3/3"),
            (slurm(8, 1...8, 8), 8, "8/8"), (slurm(3, 0...5, 3), 8, "4/8"), (slurm(3, 3...8, 2), 8, "3/8"),
            (["JOB_COMPLETION_INDEX": "0"], 4, "1/4"), (["JOB_COMPLETION_INDEX": "3"], 4, "4/4"),
        ] as [([String: String], Int?, String)])
    func shard(environment: [String: String], count: Int?, expected: String) throws {
        #expect(try TaskArray(environment: environment).shard(count: count).text == expected)
    }

    @Test(
        "where the number of shards or the first number isn't known, nobody guesses",
        arguments: [
            ([:], nil, .none), (["JOB_COMPLETION_INDEX": "0"], nil, .unknownCount),
            (["JOB_COMPLETION_INDEX": "4"], 4, .beyond(4, count: 4)),
            (["JOB_COMPLETION_INDEX": "-1"], 4, .unreadable("JOB_COMPLETION_INDEX")),
            (slurm(3, 3...7, 2), nil, .gaps(count: 2, 3...7)), (slurm(0, 0...6, 4), nil, .gaps(count: 4, 0...6)),
            (slurm(3, 3...7, 2), 8, .unknownStart(3...7, count: 8)),
            (slurm(0, 0...8, 2), 8, .unknownStart(0...8, count: 8)),
            (slurm(9, 0...9, 2), 8, .beyond(9, count: 8)),
            (["SLURM_ARRAY_TASK_ID": "1"], 8, .unreadable("SLURM_ARRAY_TASK_MIN")),
        ] as [([String: String], Int?, TaskArray.Mistake)])
    func refused(environment: [String: String], count: Int?, mistake: TaskArray.Mistake) {
        #expect(throws: mistake) { try TaskArray(environment: environment).shard(count: count) }
    }
}
