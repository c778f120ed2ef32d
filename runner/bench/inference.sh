# shellcheck shell=sh
# Inference on each model of --models: TensorFlow Lite's benchmark_model on each delegate, and
# onnxruntime_perf_test on each execution provider.

run_inference() {
    if [ -z "$MODELS" ]; then
        skip inference "no models: name files or folders with --models"
        return 0
    fi
    for inference_path in $MODELS; do
        [ -d "$inference_path" ] || inference_model "$inference_path"
        for inference_file in "$inference_path"/*.tflite "$inference_path"/*.onnx; do
            [ ! -f "$inference_file" ] || inference_model "$inference_file"
        done
    done
}

# inference_model FILE: runs it with each number of threads.
inference_model() {
    for inference_threads in $THREADS; do
        case $1 in
            *.tflite)
                for inference_unit in $DELEGATES; do
                    inference_tflite "$1"
                done
                ;;
            *.onnx | *.ort)
                for inference_unit in $PROVIDERS; do
                    inference_onnx "$1"
                done
                ;;
            *) skip inference "$1 is neither .tflite, .onnx nor .ort"; return 0 ;;
        esac
    done
}

# inference_tflite FILE: runs it on the delegate $inference_unit. A build that lacks the delegate warns of
# the option, and would run on the CPU.
inference_tflite() {
    inference_options="--graph=$1 --num_threads=$inference_threads"
    case $inference_unit in
        none) inference_options="$inference_options --use_xnnpack=false" ;;
        /*) inference_options="$inference_options --external_delegate_path=$inference_unit" ;;
        *) inference_options="$inference_options --use_$inference_unit=true" ;;
    esac
    inference_runs tflite benchmark_model "$inference_options --num_runs=1 --warmup_runs=0" || return 0
    inference_options="$inference_options --min_secs=$INFERENCE_SECONDS"
    program tflite benchmark_model "$inference_options" "threads=$inference_threads" "${TIMER:+$TIMER -v}"
}

# inference_onnx FILE: runs it on the execution provider $inference_unit.
inference_onnx() {
    inference_options="-x $inference_threads -e $inference_unit -I"
    inference_runs onnxruntime onnxruntime_perf_test "-m times -r 1 $inference_options $1" || return 0
    program onnxruntime onnxruntime_perf_test "-m duration -t $INFERENCE_SECONDS $inference_options $1" \
        "threads=$inference_threads"
}

# inference_runs BENCHMARK PROGRAM ARGUMENTS: succeeds if one inference does.
inference_runs() {
    find_program "$1" "$2" || return 1
    [ -z "$SHOW_PLAN" ] || return 0
    # shellcheck disable=SC2086 # the arguments are words
    inference_output=$("$FOUND" $3 2>&1 </dev/null)
    inference_status=$?
    inference_unknown=
    [ "$inference_unit" = none ] ||
        inference_unknown=$(printf '%s\n' "$inference_output" | grep -i 'unconsumed cmdline flags')
    if [ -n "$inference_unknown" ]; then
        skip "$1 on $inference_unit" "this $FOUND is built without it"
        return 1
    elif [ "$inference_status" -ne 0 ]; then
        skip "$1 on $inference_unit" "$(printf '%s\n' "$inference_output" | grep . | tail -n 1)"
        return 1
    fi
}
