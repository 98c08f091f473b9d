import CourseCatalog

/// The value of `--shard`.
enum ShardSetting: Sendable, Equatable {
    case given(Shard)
    /// The task that a scheduler has started this process for.
    case automatic
}

/// The task of a scheduler's array that this process is, by the variables of the environment.
///
/// Related: sbatch(1), "Job array"; Kubernetes, "Indexed Job"
struct TaskArray {
    /// Why a task is no shard.
    enum Mistake: Error, Sendable, Equatable {
        /// There is no array.
        case none
        /// This variable isn't a number, or is missing.
        case unreadable(String)
        /// The number of tasks isn't said by the environment.
        case unknownCount
        /// The array has gaps or steps: so many tasks have numbers in this range.
        case gaps(count: Int, ClosedRange<Int>)
        /// Whether the first of so many tasks has the number 0 or 1 can't be told from these.
        case unknownStart(ClosedRange<Int>, count: Int)
        /// The number of the task isn't one of so many.
        case beyond(Int, count: Int)
    }

    let environment: [String: String]

    /// The shard of this task. `count` is the number of shards, if it was said.
    func shard(count: Int?) throws(Mistake) -> Shard {
        if environment["SLURM_ARRAY_TASK_ID"] != nil { return try slurm(count) }
        guard environment["JOB_COMPLETION_INDEX"] != nil else { throw .none }
        // An Indexed Job counts from 0.
        let task = try number("JOB_COMPLETION_INDEX")
        guard let count else { throw .unknownCount }
        return try shard(task + 1, count, task: task)
    }

    private func slurm(_ count: Int?) throws(Mistake) -> Shard {
        let task = try number("SLURM_ARRAY_TASK_ID")
        let (first, last) = (try number("SLURM_ARRAY_TASK_MIN"), try number("SLURM_ARRAY_TASK_MAX"))
        let tasks = try number("SLURM_ARRAY_TASK_COUNT")
        guard first <= last else { throw .unreadable("SLURM_ARRAY_TASK_MAX") }
        guard let count, count != tasks || last - first + 1 != tasks else {
            guard last - first + 1 == tasks else { throw .gaps(count: tasks, first...last) }
            return try shard(task - first + 1, tasks, task: task)
        }
        // Only some of the tasks: their numbers have to say where the array began.
        switch (first == 0, last == count) {
        case (true, false): return try shard(task + 1, count, task: task)
        case (false, true): return try shard(task, count, task: task)
        default: throw .unknownStart(first...last, count: count)
        }
    }

    private func shard(_ index: Int, _ count: Int, task: Int) throws(Mistake) -> Shard {
        guard let shard = Shard(index: index, count: count) else { throw .beyond(task, count: count) }
        return shard
    }

    private func number(_ variable: String) throws(Mistake) -> Int {
        guard let text = environment[variable], text.utf8.count <= 9, let number = Int(text), number >= 0 else {
            throw .unreadable(variable)
        }
        return number
    }
}

extension TaskArray.Mistake: CustomStringConvertible {
    /// The mistake and its correction.
    var description: String {
        switch self {
        case .none:
            "auto needs a task array of Slurm or an Indexed Job of Kubernetes; elsewhere write the shard, such as 2/8"
        case .unreadable(let variable): "auto needs the number of a task in the variable \(variable)"
        case .unknownCount: "JOB_COMPLETION_INDEX doesn't say how many tasks there are; say it with --shards"
        case .gaps(let count, let range):
            """
            \(count) tasks are numbered \(range.lowerBound) to \(range.upperBound), so that the number of all shards \
            isn't known; say it with --shards
            """
        case .unknownStart(let range, let count):
            """
            tasks \(range.lowerBound) to \(range.upperBound) don't say whether the first of \(count) has the number 0 \
            or 1; write the shard, such as "$SLURM_ARRAY_TASK_ID/\(count)"
            """
        case .beyond(let task, let count): "the task \(task) isn't one of \(count)"
        }
    }
}
